"""The measures of `boardenvs bench`, one module for each kind of row."""
