"""Device time of launches in one process. Needs PyTorch.

A variant has a `name`, `launch()`, which enqueues it on the current stream, and `held()`, a context
that must surround its launches. Two times answer two questions, and both are told:

interleaved: all variants in each round, in a new random order, each after 256 MiB were written (a
cold L2). All share one state of the card, and rounds pair their times.
sustained: each variant alone, back to back; the second half counts, when clocks have settled at
what the power limit leaves to this variant. The L2 is warm. The card rests before each, because
what the one before left of its power budget moved times by up to 9 %.
"""
import random
import time

import torch

from ratio import LEAST_ROUNDS

COLD_BYTES = 256 << 20  # more than any L2 holds
WARM_UP_ROUNDS = 2
REST_SECONDS = 0.25
LEAD_CYCLES = 1_000_000  # of the sleep before a round, at least
LEAD_DECAY = 0.9  # a round: one pause of the host shall not lengthen all later sleeps


class Clock:
    def __init__(self, seed=1):
        self._order = random.Random(seed)
        self._cold = torch.empty(COLD_BYTES // 4, dtype=torch.int32, device="cuda")
        self._lead_cycles = LEAD_CYCLES
        self._events = []

    def interleaved(self, variants, rounds, seconds=1e9, cold=True, before_last=None):
        """{name: [us of each round]}; rounds end early after `seconds` of device time.
        before_last() runs before the last round, whose outputs stay."""
        times = {variant.name: [] for variant in variants}
        spent, done = 0.0, 0
        while True:
            last = done + 1 >= WARM_UP_ROUNDS + rounds or (
                done + 1 >= WARM_UP_ROUNDS + LEAST_ROUNDS and spent > seconds)
            if last and before_last is not None:
                before_last()
            each = self._round(variants, cold)
            spent += sum(each.values()) * 1e-6
            if done >= WARM_UP_ROUNDS:
                for name, us in each.items():
                    times[name].append(us)
            done += 1
            if last:
                return times

    def _round(self, variants, cold):
        """Everything is enqueued behind a sleep: no event measures the host. Where the device woke
        before the host was done, the round does not count and the next sleep is longer."""
        while len(self._events) < 2 * len(variants):
            self._events.append(torch.cuda.Event(enable_timing=True))
        for _ in range(8):
            order = list(range(len(variants)))
            self._order.shuffle(order)
            torch.cuda._sleep(int(self._lead_cycles))
            awake = torch.cuda.Event()
            awake.record()
            for i in order:
                if cold:
                    self._cold.zero_()
                with variants[i].held():
                    self._events[2 * i].record()
                    variants[i].launch()
                    self._events[2 * i + 1].record()
            too_late = awake.query()
            torch.cuda.synchronize()
            if not too_late:
                self._lead_cycles = max(LEAD_CYCLES, LEAD_DECAY * self._lead_cycles)
                return {variant.name: 1e3 * self._between(2 * i, 2 * i + 1)
                        for i, variant in enumerate(variants)}
            self._lead_cycles *= 2
        raise RuntimeError("the host cannot enqueue a round before the device reaches it")

    def _between(self, first, second):
        return self._events[first].elapsed_time(self._events[second])

    def sustained(self, variants, milliseconds=220, passes=2):
        """{name: [us a launch, one value a pass]}; passes go through the variants in turn forwards
        and backwards, so that what one leaves behind in the card meets others alike."""
        times = {variant.name: [] for variant in variants}
        for i in range(passes):
            for variant in variants if i % 2 == 0 else variants[::-1]:
                times[variant.name].append(self._alone(variant, milliseconds))
        return times

    def _alone(self, variant, milliseconds):
        begin, middle, end = (torch.cuda.Event(enable_timing=True) for _ in range(3))
        torch.cuda.synchronize()
        time.sleep(REST_SECONDS)
        with variant.held():
            variant.launch()
            begin.record()
            variant.launch()
            variant.launch()
            end.record()
            torch.cuda.synchronize()
            count = max(6, int(milliseconds / (begin.elapsed_time(end) / 2)))
            for i in range(count):
                if i == count // 2:
                    middle.record()
                variant.launch()
            end.record()
        torch.cuda.synchronize()
        return 1e3 * middle.elapsed_time(end) / (count - count // 2)

    def replayed(self, graphs, rounds):
        """{name: [us a launch]} of Graphs, warm L2, interleaved: what a small problem costs when
        the host costs nothing."""
        times = self.interleaved(graphs, rounds, cold=False)
        return {g.name: [us / g.launches for us in times[g.name]] for g in graphs}


class Graph:
    """A variant that launches another one `launches` times."""

    def __init__(self, variant, launches=20):
        self.name, self.launches = variant.name, launches
        self.held = variant.held
        side = torch.cuda.Stream()  # what a first launch allocates or compiles is not captured
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side), variant.held():
            variant.launch()
            variant.launch()
        torch.cuda.synchronize()
        self._graph = torch.cuda.CUDAGraph()
        with variant.held(), torch.cuda.graph(self._graph):
            for _ in range(launches):
                variant.launch()
        self.launch = self._graph.replay
