"""From whole numbers to estimates with intervals."""
