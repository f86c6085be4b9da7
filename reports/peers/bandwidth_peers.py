"""bandwidth_peers.py <liboddtile.so> [--dtypes fp32,bf16,fp16] [--kinds dense,small,add] ...

Our softmax and vector add beside PyTorch, torch.compile, Triton and a device-to-device copy, in one
process, outputs judged in that run. Prints our speed over each (of the copy: the rate, counted in
32-byte sectors) and writes a record that `oddtile render` shows. README.md says how.
--warm i/n compiles the i-th of n shares of what Triton and torch.compile need, and ends.
"""
import sys
import time

try:
    import torch
    import bandwidth_launches
except ImportError as error:
    print(f"bandwidth_peers.py: PyTorch or Triton cannot be imported: {error}", file=sys.stderr)
    sys.exit(2)

import dataclasses
from functools import partial

import bandwidth_points
import peer_record
import session as shared
from alone import each_alone
from bandwidth_data import AddData, SoftmaxData
from bandwidth_launches import add_launches, best_copy, copy_launch, softmax_launches
from clock import Graph
from judging import Verdict
from our_launch import NotOffered
from ratio import paired_ratio


def beside(session, point, data, moved):
    """Peers, a copy that moves the same bytes, and our own aligned add beside a shifted one."""
    if point.kernel == "softmax":
        found = softmax_launches(point, data, is_compiled(session.options, point))
    else:
        found = add_launches(point, data)
    found.append(copy_launch(point, data, moved))
    if point.kernel == "vector_add" and any(point.offsets):
        found.append(session.launch(data.aligned_problem, "fused aligned", None, False))
    return found


def rows_copied(session, point, data):
    """A copy of the same rows, where they have gaps or a mask."""
    if point.kernel != "softmax" or not (point.pad or point.mask):
        return []
    try:
        return [best_copy(session.copies, *data.problem())]
    except NotOffered as error:
        session.record.skip(f"copy of {point}", str(error))
        return []


def measure(session, point, variants, prepare, judged):
    """{name: times}, {name: verdict}; judged: {name: what judges the output of that variant}."""
    clock, rounds = session.clock, session.options.rounds
    if point.clock == "replayed":
        variants = [Graph(variant) for variant in variants]
        times = clock.replayed(variants, rounds)
    else:
        times = clock.interleaved(variants, rounds, cold=point.clock == "cold")
    ours = [variant for variant in variants if variant.name in judged]
    return times, each_alone(ours, prepare, torch.cuda.synchronize, lambda v: judged[v.name]())


def run_point(session, point):
    if session.record.has(point.series, point.size):
        return
    began = time.monotonic()
    data = (SoftmaxData if point.kernel == "softmax" else AddData)(point)
    ours = session.ours(data.problem)
    if not ours:
        return
    moved = point.moved(*data.visible_sectors())
    copies = rows_copied(session, point, data)
    variants = ours + copies + beside(session, point, data, moved)
    judged = {launch.name: partial(data.verdict, session.judge, launch) for launch in ours}
    judged |= {launch.name: data.copied for launch in copies}
    data.prepare()
    for variant in variants:
        with variant.held():
            variant.launch()
    torch.cuda.synchronize()
    times, verdicts = measure(session, point, variants, data.prepare, judged)
    entries = []
    for variant in variants:
        against = None
        if variant is not ours[0]:
            against = paired_ratio(times[ours[0].name], times[variant.name])
        verdict = verdicts.get(variant.name, Verdict(text=peer_record.NOT_JUDGED))
        amounts = {"bytes": moved, "flops": 0, "rate_unit": "GB/s"}
        what = {"kernel": point.kernel, "series": point.series, "size": point.size,
                "case": point.case()}
        # The planted rows, the fences and all bits of a sum are in what was timed: edges and all.
        entries.append((peer_record.entry(what, variant.name, variant.configuration_name(),
                                          times[variant.name], amounts, against),
                        verdict, verdict))
    shared.progress(entries, began)
    session.later(entries)


def chosen_points(options):
    kinds = options.kinds.split(",")
    unknown = set(kinds) - set(bandwidth_points.KINDS)
    if unknown:
        raise SystemExit(f"--kinds: {', '.join(bandwidth_points.KINDS)}; not {sorted(unknown)}")
    points = []
    for dtype in options.dtypes.split(","):
        points += bandwidth_points.softmax_points(dtype, kinds)
        points += bandwidth_points.add_points(dtype, kinds)
    return [p for p in points if not options.sizes or str(p.size) in options.sizes.split(",")]


def is_compiled(options, point):
    """Whether torch.compile is timed at a point."""
    if point.kernel != "softmax" or point.kind not in ("dense", "small"):
        return False
    widths = options.compile if point.kind == "dense" else options.compile_small
    return widths == "all" or str(point.columns) in widths.split(",")


def warm(options, share):
    """Compiles; Triton's and Inductor's caches on disk keep it for the process that measures."""
    began, compiled = time.monotonic(), 0
    points = bandwidth_points.share_of(chosen_points(options), share)
    for point in points:
        if point.kernel == "softmax" and point.rows * point.columns < 1 << 30:
            small = dataclasses.replace(point, rows=min(point.rows, 64))
            for call in softmax_launches(small, SoftmaxData(small), False):
                call.launch()
        if is_compiled(options, point):
            bandwidth_launches.compile_for(point)
            compiled += 1
    torch.cuda.synchronize()
    print(f"warm {share}: {len(points)} points, torch.compile {compiled} times, "
          f"{time.monotonic() - began:.1f} s")


def parse():
    parser = shared.options(__doc__)
    parser.add_argument("--dtypes", default="fp32,bf16,fp16")
    parser.add_argument("--kinds", default=",".join(bandwidth_points.KINDS))
    parser.add_argument("--sizes", default="", help="columns, rows of small, or n; all where empty")
    parser.add_argument("--compile", default="all", help="dense widths for torch.compile")
    parser.add_argument("--compile-small", default="all", help="the same of small problems")
    parser.add_argument("--warm", default="", help="i/n, i from 0: compile a share and end")
    return parser.parse_args()


def main():
    options = parse()
    with bandwidth_launches.compiling():
        if options.warm:
            warm(options, options.warm)
            return 0
        session = shared.start("bandwidth_peers.py", options)
        if session is None:
            return 2
        session.run(chosen_points(options), run_point)
    return session.report()


if __name__ == "__main__":
    sys.exit(main())
