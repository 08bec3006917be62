"""Building blocks of rules: records, chance, outcomes, symmetries, checks, loops over games."""
