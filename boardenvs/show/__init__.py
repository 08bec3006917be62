"""Games for people: pictures, animations, pages and console grids."""
