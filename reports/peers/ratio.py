"""Ratios of times that were measured in the same rounds, with 95 % intervals. No packages needed.

The estimate is Hodges and Lehmann's over the paired log ratios, the interval the one that belongs
to the signed-rank test (Hollander, Wolfe, Chicken, Nonparametric Statistical Methods, 3.2, 3.3):
exact for any symmetric distribution of the differences. Drift that both sides of a round share
cancels; an outlier (a clock that stepped) moves it little.
"""
import math
from typing import NamedTuple

LEAST_ROUNDS = 6  # with fewer no 95 % interval exists


class Ratio(NamedTuple):
    """value: above 1 the subject is faster than the baseline; [low, high]: 95 % interval."""
    value: float
    low: float
    high: float

    def scaled(self, factor):
        return Ratio(self.value * factor, self.low * factor, self.high * factor)

    def inverse(self):
        return Ratio(1 / self.value, 1 / self.high, 1 / self.low)


def quantile(values, share):
    """Linear interpolation between order statistics."""
    ordered = sorted(values)
    at = share * (len(ordered) - 1)
    below = int(at)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (at - below) * (ordered[above] - ordered[below])


def median(values):
    return quantile(values, 0.5)


def signed_rank_tail(pairs):
    """The largest k with P(W < k) <= 2.5 % for the signed-rank statistic W of `pairs` differences;
    the k-th smallest and the k-th largest average of two differences then bound the interval."""
    ways = [1]  # ways[w]: subsets of the ranks met so far whose sum is w
    for rank in range(1, pairs + 1):
        longer = ways + [0] * rank
        for total, count in enumerate(ways):
            longer[total + rank] += count
        ways = longer
    allowed, below, k = 0.025 * 2**pairs, 0, 0
    while below + ways[k] <= allowed:
        below += ways[k]
        k += 1
    return k


def paired_ratio(baseline, subject):
    """baseline[i] and subject[i]: times of round i, in one unit. At least LEAST_ROUNDS of them."""
    if len(baseline) != len(subject) or len(baseline) < LEAST_ROUNDS:
        raise ValueError(f"{len(baseline)} and {len(subject)} rounds: equal numbers, at least "
                         f"{LEAST_ROUNDS}")
    logs = [math.log(b / s) for b, s in zip(baseline, subject)]
    averages = sorted((logs[i] + logs[j]) / 2 for i in range(len(logs)) for j in range(i + 1))
    k = signed_rank_tail(len(logs))
    return Ratio(math.exp(median(averages)), math.exp(averages[k - 1]), math.exp(averages[-k]))


def range_of_ratios(baseline, subject):
    """For two or three passes, where no interval exists: the ratio of the sums, and the least and
    the largest ratio of a pass."""
    each = [b / s for b, s in zip(baseline, subject)]
    return Ratio(sum(baseline) / sum(subject), min(each), max(each))


def geometric_mean(ratios):
    """Of ratios at different points; their errors count as independent."""
    count = len(ratios)
    centre = sum(math.log(r.value) for r in ratios) / count
    half = math.sqrt(sum((math.log(r.high / r.low) / 2)**2 for r in ratios)) / count
    return Ratio(math.exp(centre), math.exp(centre - half), math.exp(centre + half))
