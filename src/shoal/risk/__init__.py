"""Risk: worst cases over what an attacker could know, as counts that are exact or upper bounds."""
