"""Parser and checks of extras that subcommands of `boardenvs` share."""
