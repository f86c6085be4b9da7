"""attention_peers.py <liboddtile.so> [--mode interleaved|sustained] [--dtype bf16] [--only sweep]

Our attention beside PyTorch's cuDNN and FlashAttention-2 backends, in one process, N(0, 1) inputs,
outputs judged in that run. Prints our speed over each peer (ratio of times, 95 % interval, mean),
and writes a record that `oddtile render` shows. --resume continues a record of the same build.
README.md says how a point is timed and verified.
"""
import argparse
import ctypes
import sys
import time

try:
    import torch
except ImportError as error:
    print(f"attention_peers.py: PyTorch cannot be imported: {error}", file=sys.stderr)
    sys.exit(2)

import abi
import attention_points
import peer_record
import probe_attention
import torch_peers
from attention_data import AttentionData, SdpaLaunch
from clock import Clock
from judging import Judge, Verdict
from our_launch import DTYPES, NotOffered, OurLaunch
from ratio import paired_ratio, range_of_ratios

SECONDS_A_POINT = 1.6  # of device time; rounds of long problems end early


class Session:
    def __init__(self, options):
        self.options = options
        self.library = abi.Oddtile(options.library)
        self.table = self.library.table("cuda", "fused").contents
        self.judge = Judge(self.library)
        self.probe = ctypes.CDLL(options.probe) if options.probe else None
        environment = self.library.environment()
        environment["environment"]["build"] += (f", torch {torch.__version__}, cuDNN "
                                                f"{torch.backends.cudnn.version()}")
        self.record = peer_record.PeerRecord(options.output, environment, options.resume)
        self.clock = Clock()
        self.pending = []

    def ours(self, data, problem_of, suffix="", only=None):
        """Launches of the library's choice and of the configurations asked for."""
        wanted = [None] if only is None else [only]
        if only is None:
            wanted += [int(i) for i in self.options.configurations.split(",") if i]
        launches = []
        for configuration in wanted:
            name = "fused" + ("" if configuration is None or only is not None
                              else f" {configuration}") + suffix
            outputs = data.outputs()
            problem = problem_of(*outputs)
            try:
                launch = OurLaunch(self.table, problem, (data, outputs), name, configuration)
            except NotOffered as error:
                self.record.skip(f"{name} {data.point.case(1)}", str(error),
                                 broken=configuration is None)
                continue
            launch.o, launch.lse = outputs
            launches.append(launch)
        return launches

    def peers(self, point, data):
        if point.mask not in ("full", "causal"):
            return []
        found = [SdpaLaunch(name, data) for name in self.options.peers.split(",") if name]
        if self.probe is not None and probe_attention.configuration(point) is not None:
            found.append(probe_attention.ProbeLaunch(self.probe, point, data.q, data.k, data.v))
        return found

    def measure(self, variants, ours):
        def poison():  # what the last round does not write shows as NaN
            for launch in ours:
                launch.o.fill_(float("nan"))
                launch.lse.fill_(float("nan"))
        if self.options.mode == "sustained":
            self.judge.wait()
            poison()
            return self.clock.sustained(variants, self.options.milliseconds), range_of_ratios
        times = self.clock.interleaved(variants, self.options.rounds, SECONDS_A_POINT,
                                       before_last=poison)
        return times, paired_ratio

    def settle(self, leave):
        """Entries whose judgements are older than the last `leave` points go to the record."""
        while len(self.pending) > leave:
            point = self.pending.pop(0)
            try:
                self.record.add([peer_record.judged(*one) for one in point])
            except RuntimeError as error:
                self.record.skip(point[0][0]["case"], f"judging: {error}", broken=True)
                continue
            for one, timed, edges in point:
                complaint = f"{timed.complaint()} {edges.complaint()}".strip()
                if complaint:
                    print(f"  {one['series']} {one['size']}: {one['implementation']} "
                          f"({one['configuration']}): {complaint}", flush=True)


def amounts(point, flops):
    return {"bytes": point.bytes(), "flops": flops, "rate_unit": "TFLOP/s"}


def run_point(session, point, full=None):
    """One point; with `full`, the full problem of the same shape and configuration beside it, both
    counted in visible tiles."""
    suffix = peer_record.SUSTAINED if session.options.mode == "sustained" else ""
    what = {"kernel": "attention", "size": point.seq, "case": point.case(1),
            "series": point.series + (", visible tiles" if full else "") + suffix}
    if session.record.has(what["series"], what["size"]):
        return
    began = time.monotonic()
    data = AttentionData(point)
    edges = data.edges(session.judge)
    ours = session.ours(data, data.problem)
    if not ours:
        return
    others = session.peers(point, data)
    if full is not None:
        others = session.ours(AttentionData(full, data), lambda o, lse: data.problem(o, lse, full),
                              " on full", ours[0].configuration)
    variants = ours + others
    for variant in variants:
        with variant.held():
            variant.launch()
    torch.cuda.synchronize()
    times, ratio = session.measure(variants, ours)
    judged = {v.name: data.submit(session.judge, v, v in ours) for v in variants
              if not v.name.endswith(" on full")}
    data.fill(edges)
    for launch in ours:
        launch.o.fill_(float("nan"))
        launch.lse.fill_(float("nan"))
        launch.launch()
    torch.cuda.synchronize()
    shown = {launch.name: data.submit(session.judge, launch, True, edges=True) for launch in ours}
    session.pending.append([
        (make_entry(what, variant, times, ratio, point, full, ours[0]),
         judged.get(variant.name, Verdict(text="not judged")),
         shown.get(variant.name, Verdict(text="not run"))) for variant in variants])
    session.settle(2)
    us = times[ours[0].name]
    print(f"{what['series']} {what['size']}: {ours[0].configuration_name()} "
          f"{sorted(us)[len(us) // 2]:.1f} us, {len(us)} times, "
          f"{time.monotonic() - began:.1f} s", flush=True)


def make_entry(what, variant, times, ratio, point, full, first):
    flops = point.flops()
    if full is not None:
        tiles = first.profile.tile_rows, first.profile.tile_columns
        flops = (full if variant.name.endswith(" on full") else point).tile_flops(*tiles)
    name = getattr(variant, "configuration_name", lambda: getattr(variant, "configuration", ""))()
    against = None if variant is first else ratio(times[first.name], times[variant.name])
    return peer_record.entry(what, variant.name, name, times[variant.name],
                             amounts(point, flops), against)


def chosen(options):
    kinds = options.only.split(",")
    if "sweep" in kinds:
        yield from ((p, None) for p in attention_points.sweep(options.dtype))
    if "grouped" in kinds:
        yield from ((p, None) for p in attention_points.grouped(options.dtype))
    if "partial" in kinds and options.mode == "interleaved":
        yield from attention_points.partial(options.dtype)


def wanted(point, options):
    return (str(point.head_dim) in options.d.split(",") and
            (not options.sizes or str(point.seq) in options.sizes.split(",")) and
            (not options.mask or point.mask in options.mask.split(",")))


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library")
    parser.add_argument("--output", default="attention-peers.json")
    parser.add_argument("--mode", choices=("interleaved", "sustained"), default="interleaved")
    parser.add_argument("--dtype", choices=tuple(DTYPES)[1:], default="bf16")
    parser.add_argument("--d", default="64,128,256", help="head sizes")
    parser.add_argument("--sizes", default="", help="sequence lengths; all where empty")
    parser.add_argument("--mask", default="", help="full, causal, window, lengths")
    parser.add_argument("--only", default="sweep,grouped,partial")
    parser.add_argument("--peers", default="cudnn,flash")
    parser.add_argument("--configurations", default="", help="ids, besides the library's choice")
    parser.add_argument("--probe", default="", help="an experimental library to time as well")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--milliseconds", type=float, default=220, help="of one sustained pass")
    parser.add_argument("--seconds", type=float, default=540, help="no new point after this")
    parser.add_argument("--resume", action="store_true")
    return parser.parse_args()


def report(record):
    timings = record.data["timings"]
    for line in [*peer_record.rates(timings), *peer_record.table(timings)]:
        print(line)
    missing = peer_record.unverified(timings)
    print(f"{len(timings)} times; not verified: {len(missing)}")
    for line in missing[:20]:
        print("  " + line)
    for skip in record.data["skips"][:20]:
        print(f"  not timed: {skip['what']}: {skip['reason']}")
    wrong = [e for e in timings if e["implementation"].startswith(peer_record.OURS)
             and "fail" in (e["verdict"], e["edge_verdict"])]
    broken = [s for s in record.data["skips"] if s.get("broken")]
    return 1 if wrong or broken or not timings else 0


def main():
    options = parse()
    if not torch.cuda.is_available():
        print("attention_peers.py: there is no GPU that PyTorch can use", file=sys.stderr)
        return 2
    torch.zeros(1, device="cuda")  # the primary context, before our library joins it
    session = Session(options)
    began = time.monotonic()
    for point, full in chosen(options):
        if not wanted(point, options):
            continue
        if time.monotonic() - began > options.seconds:
            session.record.skip(point.case(1), "out of time")
            continue
        try:
            run_point(session, point, full)
        except (RuntimeError, ValueError) as error:  # the next point may work
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            print(f"{point.case(1)}\n  FAILED: {reason}", flush=True)
            session.record.skip(point.case(1), reason, broken=True)
        torch_peers.forget_views()
    session.settle(0)
    session.record.save()
    print(f"{time.monotonic() - began:.0f} s")
    return report(session.record)


if __name__ == "__main__":
    sys.exit(main())
