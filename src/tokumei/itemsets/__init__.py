"""What each customer bought, as a set of items."""

from tokumei.itemsets.matrix import ItemSets, item_sets
from tokumei.itemsets.statistics import Statistics, statistics

__all__ = ["ItemSets", "Statistics", "item_sets", "statistics"]
