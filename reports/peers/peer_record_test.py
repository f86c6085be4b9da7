"""peer_record_test.py: what is written can be continued, and tables say what entries hold."""
import json
import math
import os
import tempfile

import peer_record as record
from ratio import Ratio

POINT = {"kernel": "attention", "series": "attention bf16 d64 full", "size": 2048, "case": "c"}
AMOUNTS = {"bytes": 4_000_000, "flops": 10**9, "rate_unit": "TFLOP/s"}


class Fixed:
    """A verdict that is known."""

    def __init__(self, text, visible=1.0):
        self.text = lambda: text
        self.edges_visible = lambda: visible


def two(verdict="pass"):
    ours = record.entry(POINT, "fused", "tile", [10.0, 11.0, 12.0], AMOUNTS)
    peer = record.entry(POINT, "cudnn", "", [20.0, 22.0, 24.0], AMOUNTS, Ratio(0.5, 0.4, 0.8))
    return [record.judged(ours, Fixed(verdict), Fixed("pass")), peer]


def test_entries():
    ours, peer = two()
    assert math.isclose(ours["rate"], 1e9 / 11e-6 * 1e-12) and ours["us_lower"] == 10.5
    assert ours["verified"] and ours["baseline"] == "" and peer["baseline"] == "fused"
    assert record.speed(peer, ours) == Ratio(2, 1.25, 2.5)
    assert not two("fail")[0]["verified"] and two("vacuous")[0]["verified"]


def test_rates_of_different_amounts():
    ours, other = two()
    other["flops"] = 4 * ours["flops"]
    assert record.speed(other, ours) == Ratio(0.5, 0.3125, 0.625)


def test_tables():
    lines = record.table(two())
    assert len(lines) == 1 and "2k 2.000±0.625" in lines[0] and "mean 2.000" in lines[0], lines
    assert "!" not in lines[0] and "2k 2.000±0.625!" in record.table(two("fail"))[0]
    slow = two()
    slow[1].update(ratio=1.25, ratio_low=1.125, ratio_high=1.5)
    assert "<" in record.table(slow)[0]
    assert "2k" not in record.table(two(), brief=True)[0]
    assert "2k 0.800" in record.table(slow, brief=True)[0]
    assert record.rates(two()) == ["attention bf16 d64 full, rate: 2k 91"]
    assert record.unverified(two()) == [] and "timed fail" in record.unverified(two("fail"))[0]
    beside = two()
    beside[1].update(implementation="fused aligned", ratio=1.125, ratio_low=1.03125,
                     ratio_high=1.25)
    assert record.unverified(beside) == []  # nobody judges it
    assert "<" not in record.table(beside)[0]  # its floor is lower
    copy = two()
    copy[1].update(implementation="copy with gaps", ratio=1.125, ratio_low=1.0625, ratio_high=1.25)
    assert "<" in record.table(copy)[0]
    assert record.unverified(copy) == []
    copy[1]["verdict"] = "fail"  # of a copy of ours we are told
    assert "timed fail" in record.unverified(copy)[0]
    assert [record.size_text(n) for n in (512, 1000, 4097, 1 << 20, 3 << 20)] == [
        "512", "1000", "4097", "1M", "3M"]


def test_noise():
    """An interval on either side of 1 counts, one around it does not."""
    entries = []
    for value in (1, 1.25, 0.75):
        one = two()[1]
        one.update(implementation=record.AGAIN, ratio=value, ratio_low=value - 0.125,
                   ratio_high=value + 0.125)
        entries.append(one)
    line, = record.noise(entries)
    assert "2 of 3 intervals exclude 1, ratios within 0.250" in line, line
    assert record.noise(two()) == []


def environment(commit, date="first"):
    return {"environment": {"commit": commit, "device": "d", "build": "b", "date": date},
            "timings": [], "skips": []}


def test_resuming():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "record.json")
        first = record.PeerRecord(path, environment("one"), resume=True)
        first.skip("all", "tried")
        first.add(two())
        second = record.PeerRecord(path, environment("one"), resume=True)
        assert second.has(POINT["series"], 2048) and not second.has(POINT["series"], 4096)
        assert second.data["skips"] == first.data["skips"]
        second.retry("some")
        assert second.data["skips"] == first.data["skips"]
        second.retry("all")
        assert not second.data["skips"]
        assert not second.data["beside"]  # nothing was added
        assert not record.PeerRecord(path, environment("one"), resume=False).data["timings"]
        try:
            record.PeerRecord(path, environment("two"), resume=True)
        except ValueError as error:
            assert "another commit: one, here two" in str(error)
        else:
            raise AssertionError("a record of another commit was continued")
        third = record.PeerRecord(path, environment("one", "third"), resume=True)
        third.add(two())
        third.add(two())
        with open(path, encoding="utf-8") as file:
            kept = json.load(file)
        assert len(kept["timings"]) == 6 and kept["environment"]["date"] == "first", kept
        assert [run["date"] for run in kept["beside"]] == ["third"], kept


def main():
    tests = [test for name, test in sorted(globals().items()) if name.startswith("test_")]
    assert len(tests) >= 5, tests
    for test in tests:
        test()
    print(f"peer record: {len(tests)} tests passed")


main()
