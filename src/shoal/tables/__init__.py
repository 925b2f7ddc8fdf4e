"""Tables: minimal uniques, diversity of sensitive columns, and three attacker models of statistical offices."""

from shoal.tables.attacker_models import Attacker, attackers
from shoal.tables.diversity import Diversity, diversity
from shoal.tables.uniques import MinimalUniques, minimal_uniques

__all__ = ["Attacker", "Diversity", "MinimalUniques", "attackers", "diversity", "minimal_uniques"]
