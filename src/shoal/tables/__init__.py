"""Tables: minimal uniques, diversity of sensitive columns, and the three attacker models of statistical offices."""
