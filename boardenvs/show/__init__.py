"""Display of games: pictures, animations, pages and console grids."""
