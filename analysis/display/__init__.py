"""Numbers and words as a reader sees them: text, tables, and the forms they are printed in."""
