"""peers.py <liboddtile.so> [--output peers.json] [--rounds 15] [--quick] [--only attention]

Our kernels beside PyTorch and Triton: interleaved in one process, on the same buffers' shapes, cold
L2, every output judged by the same oracle. Needs a GPU, PyTorch, and Triton where it is installed.
Prints one table (speed: how many times as fast ours is) and writes a record that
`oddtile render peers.json` turns into pages.
"""
import argparse
import json
import sys
import time

try:
    import torch
except ImportError as error:
    print(f"peers.py: PyTorch cannot be imported: {error}", file=sys.stderr)
    sys.exit(2)

import abi
import torch_peers

TOKENS, WIDTH = 16384, 2048  # batch * sequence, heads * head_dim: the field's convention
FLASH = "torch sdpa flash"


def attention_cases(quick):
    sizes = (1024, 4096) if quick else (1024, 2048, 4096, 8192, 16384)
    for head_dim in (64, 128):
        scale = {64: "0.125", 128: "0.088388346"}[head_dim]
        for band in ("", " band_high=0"):
            for seq in sizes:
                yield (f"attention dtype=bf16 batch={TOKENS // seq} heads_kv={WIDTH // head_dim} "
                       f"group=1 seq_q={seq} seq_k={seq} head_dim={head_dim} scale={scale}{band} "
                       "lse=0 scores=noise contents=noise seed=1")


def softmax_cases(quick):
    widths = (1024, 32768) if quick else (1024, 2048, 4096, 4097, 8192, 12672, 16384, 32768)
    for dtype, size in (("fp32", 4), ("bf16", 2)):
        for columns in widths:
            rows = 2**30 // (2 * size * columns)  # about 1 GB moves
            yield f"softmax dtype={dtype} rows={rows} columns={columns} values=noise seed=1"


def add_cases(quick):
    sizes = (24,) if quick else (24, 26, 28)
    for extra in ("dtype=fp32", "dtype=bf16", "dtype=fp32 mask=half"):
        for power in sizes:
            yield f"vector_add {extra} n={2**power} values=noise seed=1"


def make_peers():
    """Peers by kernel, and why some are missing."""
    peers = {
        "attention": [torch_peers.SdpaPeer("flash"), torch_peers.SdpaPeer("cudnn"),
                      torch_peers.EagerAttention()],
        "softmax": [torch_peers.TorchSoftmax(), torch_peers.EagerSoftmax()],
        "vector_add": [torch_peers.TorchAdd()],
    }
    try:
        import triton_peers
        missing = triton_peers.works()
    except ImportError as error:
        missing = str(error)
    if missing:
        return peers, [{"section": "timing", "what": "triton", "reason": missing}]
    peers["softmax"].append(triton_peers.TritonSoftmax())
    peers["vector_add"].append(triton_peers.TritonAdd())
    return peers, []


def line(entry):
    text = (f"  {entry['implementation']:<18} {entry['us_median']:>10.1f} us"
            f" {entry['rate']:>8.1f} {entry['rate_unit']:<8}")
    if entry["baseline"] and entry["ratio"] > 0:
        # The record compares a peer with ours; a reader wants ours over the peer.
        text += (f" ours is {1 / entry['ratio']:5.2f} times as fast"
                 f" [{1 / entry['ratio_high']:.2f}, {1 / entry['ratio_low']:.2f}]")
    else:
        text += " " * 42
    return text + f"  timed {entry['verdict']}, edges {entry['edge_verdict']}"


def summarise(timings):
    """Least speed of ours over each peer, the figures that goals are set in."""
    least = {}
    for entry in timings:
        if entry["baseline"] and entry["ratio"] > 0:
            key = (entry["kernel"], entry["implementation"])
            speed = 1 / entry["ratio"]
            if key not in least or speed < least[key][0]:
                least[key] = (speed, f"{entry['series']} at {entry['size']}")
    print("\nleast speed of ours over each peer:")
    for (kernel, name), (speed, where) in sorted(least.items()):
        print(f"  {kernel:<11} {name:<18} {speed:6.2f}  ({where})")


def run_point(library, case, peers, record, rounds):
    began = time.monotonic()
    kernel = case.split()[0]
    contenders = [library.table("cuda", "fused")] + peers[kernel]
    try:
        result = library.time(case, contenders, "fused", rounds)
    finally:
        torch_peers.forget_views()
        torch.cuda.empty_cache()
    record["timings"] += result["timings"]
    record["skips"] += result["skips"]
    print(f"{case}  ({time.monotonic() - began:.1f} s)")
    for entry in result["timings"]:
        print(line(entry))
    for skip in result["skips"]:
        print(f"  not timed: {skip['what'].split(kernel)[0].strip()}: {skip['reason']}")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library")
    parser.add_argument("--output", default="peers.json")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", choices=("attention", "softmax", "vector_add"))
    parser.add_argument("--seconds", type=float, default=540, help="no new point after this")
    options = parser.parse_args()

    if not torch.cuda.is_available():
        print("peers.py: there is no GPU that PyTorch can use", file=sys.stderr)
        return 2
    torch.cuda.init()
    torch.zeros(1, device="cuda")  # the primary context, before our library joins it
    library = abi.Oddtile(options.library)
    peers, missing = make_peers()
    record = library.environment()
    record["skips"] += missing
    record["environment"]["build"] += f", torch {torch.__version__}"
    for skip in missing:
        print(f"not here: {skip['what']}: {skip['reason']}")

    began = time.monotonic()
    failed = 0
    cases = [*attention_cases(options.quick), *softmax_cases(options.quick),
             *add_cases(options.quick)]
    for case in cases:
        if options.only and not case.startswith(options.only):
            continue
        if time.monotonic() - began > options.seconds:
            record["skips"].append({"section": "timing", "what": case, "reason": "out of time"})
            continue
        try:
            run_point(library, case, peers, record, options.rounds)
        except (RuntimeError, ValueError) as error:  # the next point may work
            failed += 1
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            print(f"{case}\n  FAILED: {reason}", flush=True)
            record["skips"].append({"section": "timing", "what": case, "reason": reason})
        with open(options.output, "w", encoding="utf-8") as file:  # kept if a later point dies
            json.dump(record, file, indent=1)
    summarise(record["timings"])
    wrong = [e for e in record["timings"] if e["implementation"] == "fused"
             and "fail" in e["verdict"] + e["edge_verdict"]]
    return 1 if failed or wrong or not record["timings"] else 0


if __name__ == "__main__":
    sys.exit(main())
