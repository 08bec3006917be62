"""The measures of `boardenvs bench`, one module for each thing measured."""
