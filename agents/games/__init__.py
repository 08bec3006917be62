"""What the players know of each game, a folder for each game."""
