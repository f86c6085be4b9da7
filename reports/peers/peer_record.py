"""A record of times beside peers: the schema of reports/record, so that `oddtile render` shows it.
No packages needed.

All entries of one point share `series` and `size`. `ratio` compares with the entry of the same
point that is called as `baseline` says: its time over this one's, so that a peer that is slower
than ours stands below 1. Tables here tell it the other way round: ours over the peer.
"""
import json
import os

from ratio import Ratio, geometric_mean, quantile

OURS = "fused"
SUSTAINED = ", sustained"
NOT_JUDGED = "not judged"
AGAIN = "fused again"  # the same launch once more
# Of the same rows, computing nothing: about what memory allows. Named by kernels/probe/copies.cu.
COPY_WITH_GAPS, COPY_OF_VISIBLE = "copy with gaps", "copy of visible sectors"
COPIES = (COPY_WITH_GAPS, COPY_OF_VISIBLE)


class PeerRecord:
    """Kept on disk after every point; an existing file of the same build is continued. Its
    `environment` is that of the first run; those of later runs that added times stand in `beside`,
    in the order of their times."""

    def __init__(self, path, environment, resume):
        self._path = path
        self._later = []  # the environment of this run while nothing of it is in the record
        self.data = environment  # a record with environment and ceilings and nothing else
        if resume and os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                earlier = json.load(file)
            for field in ("commit", "device", "build"):
                old, new = (r["environment"][field] for r in (earlier, environment))
                if old != new:
                    raise ValueError(f"{path} is of another {field}: {old}, here {new}")
            self.data = earlier
            self._later = [environment["environment"]]

    def has(self, series, size):
        return any(e["series"] == series and e["size"] == size for e in self.data["timings"])

    def add(self, entries):
        self.data["timings"] += entries
        self.data["beside"] = self.data.get("beside", []) + self._later
        self._later = []
        self.save()

    def skip(self, what, reason, broken=False):
        self.data["skips"].append({"section": "timing", "what": what, "reason": reason,
                                   "broken": broken})

    def retry(self, what):
        """It is tried again: an earlier run's skip of it is no longer true."""
        self.data["skips"] = [s for s in self.data["skips"] if s["what"] != what]

    def save(self):
        with open(self._path + ".part", "w", encoding="utf-8") as file:
            json.dump(self.data, file, indent=1)
        os.replace(self._path + ".part", self._path)


def entry(point, name, configuration, us, amounts, against=None, baseline=OURS):
    """point: kernel, series, size and case; amounts: bytes, flops, rate_unit; us: times of rounds
    or passes; against: Ratio of the baseline's times to these, or None for the baseline."""
    middle = quantile(us, 0.5)
    amount = amounts["flops"] if amounts["rate_unit"] == "TFLOP/s" else amounts["bytes"]
    rate = amount / middle * (1e-6 if amounts["rate_unit"] == "TFLOP/s" else 1e-3)
    compared = against or Ratio(0, 0, 0)
    return {"machine": "cuda", "kernel": point["kernel"], "implementation": name,
            "configuration": configuration, "series": point["series"], "size": point["size"],
            "case": point["case"], "us_median": middle, "us_lower": quantile(us, 0.25),
            "us_upper": quantile(us, 0.75), "rounds": len(us), "bytes": amounts["bytes"],
            "flops": amounts["flops"], "rate": rate, "rate_unit": amounts["rate_unit"],
            "baseline": baseline if against else "", "ratio": compared.value,
            "ratio_low": compared.low, "ratio_high": compared.high, "verdict": NOT_JUDGED,
            "edge_verdict": "not run", "edges_visible": 0.0, "verified": False}


def judged(one, timed, edges):
    """The entry with its verdicts, as reports/measure/timing.cc decides: a time is verified when
    what was timed is within its bounds, and the edges of the same shape and configuration pass."""
    one["verdict"], one["edge_verdict"] = timed.text(), edges.text()
    one["edges_visible"] = edges.edges_visible()
    one["verified"] = one["verdict"] in ("pass", "vacuous") and one["edge_verdict"] == "pass"
    return one


def speed(one, ours):
    """Ours over the other of one of its entries, as a Ratio: of times where both did the same, of
    rates where they count different amounts (the full problem beside one with a window)."""
    amount = "flops" if one["rate_unit"] == "TFLOP/s" else "bytes"
    times = Ratio(one["ratio"], one["ratio_low"], one["ratio_high"]).inverse()
    return times.scaled(ours[amount] / one[amount])


def _group(timings):
    """{(series, implementation): entries}, baselines left out, in the order of their first."""
    groups = {}
    for one in timings:
        if one["baseline"]:
            groups.setdefault((one["series"], one["implementation"]), []).append(one)
    return groups


def size_text(size):
    if size >= 1 << 20 and size % (1 << 20) == 0:
        return f"{size >> 20}M"
    return f"{size >> 10}k" if size >= 1024 and size % 1024 == 0 else str(size)


def floor_of(name):
    """What our speed over `name` should at least be."""
    floors = {"copy": 0.95, "fused on full": 1 / 1.15, "fused aligned": 0.95}
    return floors.get(name, 0.97 if name in COPIES else 1.0)


def cell(size, ratio, floor, mark):
    """512 1.047±0.012: value and half the interval; '<': all of it is below; '!': unverified."""
    below = "<" if ratio.high < floor else ""
    return f"{size_text(size)} {ratio.value:.3f}±{(ratio.high - ratio.low) / 2:.3f}{below}{mark}"


def table(timings, brief=False):
    """Lines: for each series and peer our speed over it at every size, and the geometric mean;
    `brief`: only sizes whose whole interval lies below the floor."""
    ours = {(e["series"], e["size"]): e for e in timings if e["implementation"] == OURS}
    lines = []
    for (series, name), entries in _group(timings).items():
        ratios, cells = [], []
        for one in sorted(entries, key=lambda e: e["size"]):
            own = ours[one["series"], one["size"]]
            ratio = speed(one, own)
            ratios.append(ratio)
            if not brief or ratio.high < floor_of(name):
                mark = "" if own["verified"] else "!"
                cells.append(cell(one["size"], ratio, floor_of(name), mark))
        mean = geometric_mean(ratios)
        lines.append(f"{series} / {name}: mean {mean.value:.3f} [{mean.low:.3f}, {mean.high:.3f}] "
                     f"least {min(r.value for r in ratios):.3f} | " + "  ".join(cells))
    return lines


def rates(timings):
    """Lines: our rate at every size of a series."""
    lines = {}
    for one in timings:
        if one["implementation"] == OURS:
            lines.setdefault(one["series"], []).append(
                f"{size_text(one['size'])} {one['rate']:.0f}")
    return [f"{series}, rate: " + "  ".join(cells) for series, cells in lines.items()]


def noise(timings):
    """A line on the intervals of one launch timed as two variants: about one in twenty should
    exclude 1, or they promise too much; none where it was not done."""
    twice = [e for e in timings if e["implementation"] == AGAIN]
    if not twice:
        return []
    outside = sum(e["ratio_low"] > 1 or e["ratio_high"] < 1 for e in twice)
    farthest = max(abs(e["ratio"] - 1) for e in twice)
    return [f"the same launch twice: {outside} of {len(twice)} intervals exclude 1, "
            f"ratios within {farthest:.3f} of 1"]


def must_be_right(name):
    """What we answer for: a failure of it is no peer's."""
    return name.startswith(OURS) or name in COPIES


def unverified(timings):
    return [f"{e['series']} at {size_text(e['size'])}: {e['configuration']}: timed {e['verdict']}, "
            f"edges {e['edge_verdict']}"
            for e in timings if must_be_right(e["implementation"]) and not e["verified"]
            and e["verdict"] != NOT_JUDGED]
