"""repeats.py <liboddtile.so> [--runs 1000] [--kernel attention] [--configurations 3,5] [--plant]

The same launch many times under load: every bit of every output must be that of the first run, and
the first run is judged. Some runs are alone on the device, others beside copies or matrix products
on a second stream, so that blocks start in another order and caches hold other things. Shapes with
many short tiles for each block find what long ones hide: a barrier that is missing between two
tiles of one block shows only there.

--plant changes one bit in the middle of each series: every line must then say that one run differs.
Exit code 1 where a run differs or a verdict is fail.
"""
import argparse
import sys
import time

try:
    import torch
except ImportError as error:
    print(f"repeats.py: PyTorch cannot be imported: {error}", file=sys.stderr)
    sys.exit(2)

import abi
from attention_data import AttentionData
from attention_points import AttentionPoint
from bandwidth_data import SoftmaxData, bits
from bandwidth_points import SoftmaxPoint
from judging import Judge
from our_launch import NotOffered, OurLaunch


def attention_points(dtype):
    """(why, point): batch, query heads, key heads, length and head size."""
    shapes = [("many short tiles a block", (64, 16, 16, 128)), ("the same", (32, 32, 8, 200)),
              ("a tile and a row", (48, 16, 16, 129)), ("odd lengths", (8, 24, 4, 509)),
              ("the usual", (8, 16, 16, 2048)), ("long", (1, 16, 16, 8192))]
    for head_dim in (64, 128, 256):
        for why, (batch, heads_q, heads_kv, seq) in shapes:
            for high in (None, 0):
                yield why, AttentionPoint(dtype, batch, heads_q, heads_kv, seq, head_dim,
                                          band_high=high)


def softmax_points(dtype):
    for columns in (129, 1000, 4097, 50257, 131072, 1048576):
        yield "64 MiB", SoftmaxPoint(dtype, max(2, (1 << 25) // columns), columns)


class Load:
    """Work on a second stream, of another kind in each run."""

    def __init__(self):
        self._stream = torch.cuda.Stream()
        self._from = torch.empty(1 << 25, dtype=torch.uint8, device="cuda").zero_()
        self._to = torch.empty_like(self._from)
        self._square = torch.zeros(2048, 2048, dtype=torch.bfloat16, device="cuda")

    def start(self, run):
        with torch.cuda.stream(self._stream), torch.no_grad():
            if run % 3 == 1:
                self._to.copy_(self._from)
            elif run % 3 == 2:
                torch.matmul(self._square, self._square)

    def wait(self):
        self._stream.synchronize()


def differing(launch, load, runs, plant):
    """How many of `runs` runs have other bits than the first, counted on the device."""
    outputs = launch.tensors
    launch.launch()
    first = [bits(output).clone() for output in outputs]
    count = torch.zeros((), dtype=torch.int64, device="cuda")
    for run in range(runs):
        for output in outputs:
            output.fill_(torch.nan)
        load.start(run)
        launch.launch()
        if plant and run == runs // 2:
            bits(outputs[0]).flatten()[-1] ^= 1
        other = torch.zeros((), dtype=torch.bool, device="cuda")
        for output, wanted in zip(outputs, first):
            other |= (bits(output) != wanted).any()
        count += other
    load.wait()
    return int(count)


def problems(options):
    """(why, point, its data, what judges a launch)."""
    if options.kernel == "attention":
        for why, point in attention_points(options.dtype):
            data = AttentionData(point)
            yield why, point, data, data.submit
    else:
        for why, point in softmax_points(options.dtype):
            data = SoftmaxData(point)
            yield why, point, data, data.verdict


def launches(table, data, options):
    for configuration in options.configurations.split(","):
        problem, tensors = data.problem()
        try:
            yield OurLaunch(table, problem, tensors, configuration=int(configuration)
                            if configuration else None)
        except NotOffered:
            continue  # the configuration is for other problems


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library")
    parser.add_argument("--kernel", choices=("attention", "softmax"), default="attention")
    parser.add_argument("--dtype", choices=("fp32", "fp16", "bf16"), default="bf16")
    parser.add_argument("--configurations", default="", help="ids; the library's choice if empty")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=540, help="no new shape after this")
    parser.add_argument("--plant", action="store_true", help="one wrong bit in each series")
    return parser.parse_args()


def main():
    options = parse()
    if not torch.cuda.is_available():
        print("repeats.py: there is no GPU that PyTorch can use", file=sys.stderr)
        return 2
    torch.zeros(1, device="cuda")
    library = abi.Oddtile(options.library)
    table = library.table("cuda", "fused").contents
    judge, load = Judge(library), Load()
    began, series, bad = time.monotonic(), 0, 0
    for why, point, data, judged in problems(options):
        if time.monotonic() - began > options.seconds:
            print(f"out of time before {point}")
            break
        for launch in launches(table, data, options):
            others = differing(launch, load, options.runs, options.plant)
            verdict = judged(judge, launch).text()
            series += 1
            bad += others != 0 or verdict == "fail"
            print(f"{others:4} of {options.runs} differ, {verdict:7} "
                  f"{launch.configuration_name()}: {why}: {point.case()}", flush=True)
    print(f"{series} series of {options.runs} runs, {bad} with a finding, "
          f"{time.monotonic() - began:.0f} s")
    return 1 if bad or series == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
