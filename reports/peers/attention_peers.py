"""attention_peers.py <liboddtile.so> [--mode interleaved|sustained] [--dtype bf16] [--only sweep]

Our attention beside PyTorch's cuDNN and FlashAttention-2 backends, in one process, N(0, 1) inputs,
outputs judged in that run. Prints our speed over each peer (ratio of times, 95 % interval, mean),
and writes a record that `oddtile render` shows. --resume continues a record of the same build.
README.md says how a point is timed and verified.
"""
import ctypes
import sys
import time

try:
    import torch
except ImportError as error:
    print(f"attention_peers.py: PyTorch cannot be imported: {error}", file=sys.stderr)
    sys.exit(2)

import attention_points
import peer_record
import probe_attention
import session as shared
from attention_data import AttentionData, SdpaLaunch
from judging import Verdict
from our_launch import DTYPES
from ratio import paired_ratio, range_of_ratios

SECONDS_A_POINT = 1.6  # of device time; rounds of long problems end early
ON_FULL = "fused on full"


def peers(session, data):
    """Launches of the peers that know the problem."""
    point = data.point
    if point.mask not in ("full", "causal"):
        return []
    found = [SdpaLaunch(name, data) for name in session.options.peers.split(",") if name]
    if session.options.probe and probe_attention.configuration(point) is not None:
        library = ctypes.CDLL(session.options.probe)  # loaded once, however often it is named
        found.append(probe_attention.ProbeLaunch(library, point, data.q, data.k, data.v))
    return found


def on_full(session, data, full, configuration):
    """Our launch on the full problem of the same shape and configuration, inputs shared."""
    launch = session.launch(lambda: data.problem(full), ON_FULL, configuration, False)
    return [] if launch is None else [launch]


def measure(session, variants, ours):
    """Times, and the function that makes a ratio of two of them."""
    def poison():  # what the last round does not write shows as NaN
        for launch in ours:
            for output in launch.tensors:
                output.fill_(float("nan"))
    if session.options.mode == "sustained":
        session.judge.wait()
        poison()
        return session.clock.sustained(variants, session.options.milliseconds), range_of_ratios
    times = session.clock.interleaved(variants, session.options.rounds, SECONDS_A_POINT,
                                      before_last=poison)
    return times, paired_ratio


def launch_edges(data, edges, ours):
    data.fill(edges)
    for launch in ours:
        for output in launch.tensors:
            output.fill_(float("nan"))
        launch.launch()
    torch.cuda.synchronize()


def run_point(session, pair):
    """One point; with a full problem beside it both are counted in visible tiles."""
    point, full = pair
    suffix = peer_record.SUSTAINED if session.options.mode == "sustained" else ""
    what = {"kernel": "attention", "size": point.seq, "case": point.case(1),
            "series": point.series + (", visible tiles" if full else "") + suffix}
    if session.record.has(what["series"], what["size"]):
        return
    began = time.monotonic()
    data = AttentionData(point)
    edges = data.edges(session.judge)
    ours = session.ours(data.problem)
    if not ours:
        return
    beside = on_full(session, data, full, ours[0].configuration) if full else peers(session, data)
    variants = ours + beside
    for variant in variants:
        with variant.held():
            variant.launch()
    torch.cuda.synchronize()
    times, ratio = measure(session, variants, ours)
    timed = {v.name: data.submit(session.judge, v) for v in variants if v.name != ON_FULL}
    launch_edges(data, edges, ours)
    shown = {v.name: data.submit(session.judge, v, edges=True) for v in ours}
    entries = [(make_entry(what, variant, times, ratio, point, full, ours[0]),
                timed.get(variant.name, Verdict(text=peer_record.NOT_JUDGED)),
                shown.get(variant.name, Verdict(text="not run"))) for variant in variants]
    shared.progress(entries, began)
    session.later(entries)


def make_entry(what, variant, times, ratio, point, full, first):
    flops = point.flops()
    if full is not None:
        tiles = first.profile.tile_rows, first.profile.tile_columns
        flops = (full if variant.name == ON_FULL else point).tile_flops(*tiles)
    amounts = {"bytes": point.bytes(), "flops": flops, "rate_unit": "TFLOP/s"}
    against = None if variant is first else ratio(times[first.name], times[variant.name])
    return peer_record.entry(what, variant.name, variant.configuration_name(),
                             times[variant.name], amounts, against)


def chosen_points(options):
    kinds = options.only.split(",")
    pairs = []
    if "sweep" in kinds:
        pairs += [(p, None) for p in attention_points.sweep(options.dtype)]
    if "grouped" in kinds:
        pairs += [(p, None) for p in attention_points.grouped(options.dtype)]
    if "partial" in kinds and options.mode == "interleaved":
        pairs += attention_points.partial(options.dtype)
    return [(point, full) for point, full in pairs
            if str(point.head_dim) in options.d.split(",")
            and (not options.sizes or str(point.seq) in options.sizes.split(","))
            and (not options.mask or point.mask in options.mask.split(","))]


def parse():
    parser = shared.options(__doc__)
    parser.add_argument("--mode", choices=("interleaved", "sustained"), default="interleaved")
    parser.add_argument("--dtype", choices=tuple(DTYPES)[1:], default="bf16")
    parser.add_argument("--d", default="64,128,256", help="head sizes")
    parser.add_argument("--sizes", default="", help="sequence lengths; all where empty")
    parser.add_argument("--mask", default="", help="full, causal, window, lengths")
    parser.add_argument("--only", default="sweep,grouped,partial")
    parser.add_argument("--peers", default="cudnn,flash")
    parser.add_argument("--probe", default="", help="an experimental library to time as well")
    parser.add_argument("--milliseconds", type=float, default=220, help="of one sustained pass")
    return parser.parse_args()


def main():
    options = parse()
    session = shared.start("attention_peers.py", options)
    if session is None:
        return 2
    session.run(chosen_points(options), run_point)
    return session.report()


if __name__ == "__main__":
    sys.exit(main())
