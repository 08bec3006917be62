"""Programs that compute and check known values of games."""
