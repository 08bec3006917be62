"""Playing against agents in a page, served on this machine alone."""
