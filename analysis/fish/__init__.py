"""What fish are worth."""
