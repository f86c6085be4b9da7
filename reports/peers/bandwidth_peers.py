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

import bandwidth_points
import peer_record
import session as shared
from bandwidth_data import AddData, SoftmaxData
from bandwidth_launches import add_launches, best_copy, copy_launch, softmax_launches
from judging import Verdict
from our_launch import NotOffered
from ratio import paired_ratio


def beside(session, point, data, moved):
    """Peers, a copy that moves the same bytes, and our own aligned add beside a shifted one."""
    if point.kernel == "softmax":
        found = softmax_launches(point, data, is_compiled(session.options, point))
    else:
        found = add_launches(point, data)
    found.append(copy_launch(max(1, moved // (2 * data.x.element_size())), data.dtype))
    if point.kernel == "vector_add" and any(point.offsets):
        aligned = AddData(dataclasses.replace(point, offsets=(0, 0, 0)))
        launch = session.launch(aligned.problem, "fused aligned", None, False)
        launch.data = aligned  # keeps what it reads
        found.append(launch)
    return found


def measure(session, point, variants, prepare):
    clock, rounds = session.clock, session.options.rounds
    if point.clock == "replayed":
        return clock.replayed(variants, rounds, before_last=prepare)
    return clock.interleaved(variants, rounds, cold=point.clock == "cold", before_last=prepare)


def run_point(session, point):
    if session.record.has(point.series, point.size):
        return
    began = time.monotonic()
    data = (SoftmaxData if point.kernel == "softmax" else AddData)(point)
    ours = session.ours(data.problem)
    if not ours:
        return
    moved = point.moved(*data.visible_sectors())
    copies = []
    if point.kernel == "softmax" and (point.pad or point.mask):
        try:
            copies = [best_copy(session.copies, *data.problem())]
        except NotOffered as error:
            session.record.skip(f"copy of {point}", str(error))
    variants = ours + copies + beside(session, point, data, moved)

    def prepare():
        for launch in ours + copies:
            data.prepare(launch)
    prepare()
    for variant in variants:
        with variant.held():
            variant.launch()
    torch.cuda.synchronize()
    times = measure(session, point, variants, prepare)
    if getattr(point, "kind", "") == "in place":  # the rounds have used up their input
        prepare()
        for launch in ours:
            launch.launch()
        torch.cuda.synchronize()
    verdicts = {launch.name: data.verdict(session.judge, launch) for launch in ours}
    verdicts |= {launch.name: data.copied(launch) for launch in copies}
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
