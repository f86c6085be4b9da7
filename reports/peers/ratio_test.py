"""ratio_test.py: intervals cover what they promise; pairing makes them as narrow as it should."""
import itertools
import math
import random

import ratio


def test_quantiles():
    assert ratio.median([3, 1, 2]) == 2 and ratio.median([1, 2, 3, 4]) == 2.5
    assert ratio.quantile([0, 10], 0.25) == 2.5
    assert ratio.quantile([7], 0.9) == 7


def test_tail_against_enumeration():
    """All 2^n sign patterns: the sums below k have at most 2.5 %, those up to k have more."""
    for pairs in (6, 7, 8, 10, 12):
        k = ratio.signed_rank_tail(pairs)
        sums = [sum(rank for rank, sign in enumerate(signs, 1) if sign)
                for signs in itertools.product((0, 1), repeat=pairs)]
        share = [sum(total < limit for total in sums) / len(sums) for limit in (k, k + 1)]
        assert share[0] <= 0.025 < share[1], (pairs, k, share)
    assert ratio.signed_rank_tail(6) == 1  # the whole range: 1/64 on either side


def test_ratio_by_hand():
    """Differences log 1..log 6 of a fair set: the interval of six rounds is the whole range."""
    subject = [10.0] * 6
    found = ratio.paired_ratio([10.0 * f for f in (1, 1, 2, 2, 4, 4)], subject)
    assert math.isclose(found.value, 2) and math.isclose(found.low, 1), found
    assert math.isclose(found.high, 4), found
    back = found.inverse()
    assert math.isclose(back.value, 0.5) and math.isclose(back.low, 0.25) and back.high == 1, back
    assert math.isclose(found.scaled(3).high, 12)


def covered(rounds, noise, drift, pairing):
    """Whether the interval holds the true ratio 1.25, for times with a common drift."""
    common = [math.exp(random.gauss(0, drift)) for _ in range(rounds)]
    slow = [125 * c * math.exp(random.gauss(0, noise)) for c in common]
    fast = [100 * c * math.exp(random.gauss(0, noise)) for c in common]
    if not pairing:
        random.shuffle(fast)
    found = ratio.paired_ratio(slow, fast)
    return found.low <= 1.25 <= found.high, math.log(found.high / found.low)


def test_coverage():
    random.seed(1)
    for rounds in (8, 15, 24):
        draws = [covered(rounds, 0.01, 0.1, True) for _ in range(1500)]
        share = sum(inside for inside, _ in draws) / len(draws)
        # 95 % or a little more (k is a whole number); four standard errors of 1500 draws are 2.3 %.
        assert 0.927 <= share <= 0.993, (rounds, share)
    # What pairing is for: without it the same drift makes the intervals many times wider.
    paired = [covered(15, 0.01, 0.1, True)[1] for _ in range(100)]
    loose = [covered(15, 0.01, 0.1, False)[1] for _ in range(100)]
    assert ratio.median(loose) > 5 * ratio.median(paired)


def test_an_outlier_moves_little():
    slow, fast = [125.0 + i % 3 for i in range(15)], [100.0 + i % 2 for i in range(15)]
    before = ratio.paired_ratio(slow, fast)
    slow[4] *= 40
    after = ratio.paired_ratio(slow, fast)
    assert abs(after.value / before.value - 1) < 0.01, (before, after)


def test_refusals():
    for one, other in (([1.0] * 5, [1.0] * 5), ([1.0] * 8, [1.0] * 7)):
        try:
            ratio.paired_ratio(one, other)
        except ValueError:
            continue
        raise AssertionError(f"{len(one)} and {len(other)} rounds were accepted")


def test_means():
    mean = ratio.geometric_mean([ratio.Ratio(2, 1, 4), ratio.Ratio(0.5, 0.25, 1)])
    assert math.isclose(mean.value, 1)
    assert math.isclose(mean.high, 2**(math.sqrt(2) / 2)), mean
    assert math.isclose(mean.low * mean.high, 1)
    passes = ratio.range_of_ratios([2.0, 4.0], [1.0, 4.0])
    assert passes == ratio.Ratio(1.2, 1.0, 2.0), passes


def main():
    tests = [test for name, test in sorted(globals().items()) if name.startswith("test_")]
    assert len(tests) >= 7, tests
    for test in tests:
        test()
    print(f"ratio: {len(tests)} tests passed")


main()
