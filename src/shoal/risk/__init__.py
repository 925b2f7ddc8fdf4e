"""Risk: worst cases over what an attacker could know. Each count is exact or an upper bound."""
