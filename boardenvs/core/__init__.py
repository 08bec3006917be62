"""Building blocks of rules: records, chance, outcomes, symmetries, checks and loops over games."""
