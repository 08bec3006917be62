"""Programs for maintainers, which make and check what the package ships."""
