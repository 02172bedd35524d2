"""From columns to exact whole numbers."""
