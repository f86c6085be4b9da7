"""What the programs that time peers share: options, library, clock, judge, record. Needs
PyTorch.
"""
import argparse
import sys
import time

import torch

import abi
import peer_record
from clock import Clock
from judging import Judge
from our_launch import NotOffered, OurLaunch

POINTS_BEHIND = 2  # whose judgements may still run
MOST_PRINTED = 8000  # characters; of longer tables only what is below its floor


def options(document):
    """The parser with what every program takes."""
    parser = argparse.ArgumentParser(description=document.splitlines()[0])
    parser.add_argument("library")
    parser.add_argument("--output", default="peers.json")
    parser.add_argument("--configurations", default="", help="ids, besides the library's choice")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=540, help="no new point after this")
    parser.add_argument("--again", action="store_true", help="ours twice: shows the noise")
    parser.add_argument("--resume", action="store_true", help="continue the record")
    return parser


class Session:
    def __init__(self, chosen):
        self.options = chosen
        self.library = abi.Oddtile(chosen.library)
        self.table = self.library.table("cuda", "fused").contents
        self.copies = self.library.copies("cuda").contents
        self.judge = Judge(self.library)
        environment = self.library.environment()
        environment["environment"]["build"] += (f", torch {torch.__version__}, cuDNN "
                                                f"{torch.backends.cudnn.version()}")
        self.record = peer_record.PeerRecord(chosen.output, environment, chosen.resume)
        self.clock = Clock()
        self._pending = []
        self._point = ""  # that is run: skips go by it, so that it can be tried again
        self._began = time.monotonic()

    def ours(self, make):
        """Launches of the library's choice, "fused", and of the configurations asked for that are
        admissible; make() gives a problem and its outputs, as (problem, tensors)."""
        launches = [self.launch(make, "fused", None, True)]
        if launches[0] is None:
            return []
        if self.options.again:
            launches.append(self.launch(make, peer_record.AGAIN, None, True))
        offered = abi.admissible(self.table, make()[0])
        wanted = [int(i) for i in self.options.configurations.split(",") if i]
        return launches + [self.launch(make, f"fused {configuration}", configuration, False)
                           for configuration in wanted if configuration in offered]

    def launch(self, make, name, configuration, must_exist):
        problem, tensors = make()
        try:
            return OurLaunch(self.table, problem, tensors, name, configuration)
        except NotOffered as error:
            self.record.skip(self._point, f"{name}: {error}", broken=must_exist)
            return None

    def later(self, entries):
        """(entry, Verdict of what was timed, Verdict of the edges) of one point: they go to the
        record when their judgements are there."""
        self._pending.append((self._point, entries))
        self._settle(POINTS_BEHIND)

    def _settle(self, leave):
        while len(self._pending) > leave:
            point, entries = self._pending.pop(0)
            try:
                self.record.add([peer_record.judged(*one) for one in entries])
            except RuntimeError as error:
                self.record.skip(point, f"judging: {error}", broken=True)
                continue
            for one, timed, edges in entries:
                complaint = f"{timed.complaint()} {edges.complaint()}".strip()
                if complaint:
                    print(f"  {one['series']} {one['size']}: {one['implementation']} "
                          f"({one['configuration']}): {complaint}", flush=True)

    def run(self, points, run_point):
        """run_point(self, point) for each that still has time; one that fails is a skip."""
        for point in points:
            self._point = text = str(point)
            self.record.retry(text)
            if time.monotonic() - self._began > self.options.seconds:
                self.record.skip(text, "out of time")
                continue
            try:
                run_point(self, point)
            except (RuntimeError, ValueError) as error:  # the next point may work
                reason = str(error).splitlines()[0] if str(error) else type(error).__name__
                print(f"{text}\n  FAILED: {reason}", flush=True)
                self.record.skip(text, reason, broken=True)
        self._settle(0)
        self.record.save()
        print(f"{time.monotonic() - self._began:.0f} s")

    def report(self):
        """Prints the tables; the exit code: 1 where something of ours is wrong or missing."""
        timings, skips = self.record.data["timings"], self.record.data["skips"]
        whole = [*peer_record.rates(timings), *peer_record.table(timings)]
        with open(self.options.output + ".txt", "w", encoding="utf-8") as file:
            file.write("\n".join(whole) + "\n")
        brief = peer_record.table(timings, brief=True)
        for line in whole if sum(map(len, whole)) < MOST_PRINTED else brief:
            print(line)
        for line in peer_record.noise(timings):
            print(line)
        missing = peer_record.unverified(timings)
        print(f"{len(timings)} times; not verified: {len(missing)}")
        for line in missing[:20]:
            print("  " + line)
        for skip in skips[:20]:
            print(f"  not timed: {skip['what']}: {skip['reason']}")
        wrong = [e for e in timings if peer_record.must_be_right(e["implementation"])
                 and "fail" in (e["verdict"], e["edge_verdict"])]
        return 1 if wrong or not timings or any(s.get("broken") for s in skips) else 0


def start(program, chosen):
    """A Session, or None and a line where there is no GPU."""
    if not torch.cuda.is_available():
        print(f"{program}: there is no GPU that PyTorch can use", file=sys.stderr)
        return None
    torch.zeros(1, device="cuda")  # the primary context, before our library joins it
    return Session(chosen)


def progress(entries, began):
    first = entries[0][0]
    print(f"{first['series']} {first['size']}: {first['configuration']} "
          f"{first['us_median']:.1f} us, {first['rounds']} times, "
          f"{time.monotonic() - began:.1f} s", flush=True)
