"""From columns to answers: exact counts, intervals, summary tables and the report."""
