"""Outputs on the device before the judge on the host, beside the device's work. Needs PyTorch.

What is judged is copied to the host at once; the judgement itself runs on a thread of its own (the
judge uses all cores) and is asked for at the end.
"""
import concurrent.futures

import torch

ROWS = 48  # of one head or matrix; every tile edge besides

_ORDER = ("fail", "suspect", "pass", "vacuous")  # the first that occurs is the verdict of many


def on_host(tensor):
    return tensor.detach().contiguous().cpu()


def buffers(tensors):
    return [(t.data_ptr(), t.numel() * t.element_size()) for t in tensors]


class Verdict:
    """Of several judgements; where none was asked for, `text` says why."""

    def __init__(self, futures=(), text=""):
        self._futures, self._text = list(futures), text

    def entries(self):
        return [future.result() for future in self._futures]

    def text(self):
        if not self._futures:
            return self._text
        found = [entry["verdict"] for entry in self.entries()]
        return next(verdict for verdict in _ORDER if verdict in found)

    def edges_visible(self):
        return min((entry["visible_edge_keys"] for entry in self.entries()), default=0.0)

    def worst_share(self):
        """A class mismatch has the share "inf" in JSON, which float() reads."""
        return max((float(q["worst_share"]) for entry in self.entries()
                    for q in entry["quantities"]), default=0.0)

    def judged(self):
        return sum(q["judged"] for entry in self.entries() for q in entry["quantities"])

    def complaint(self):
        return next((e["broken"] for e in self.entries() if e["verdict"] == "fail"), "")


class Judge:
    def __init__(self, library):
        self._library = library
        self._worker = concurrent.futures.ThreadPoolExecutor(1)

    def wait(self):
        """Until the host is idle: before something that must not share it."""
        self._worker.submit(lambda: None).result()

    def submit(self, case, profile, tensors, rows=ROWS):
        """tensors: all of a dense case, in its order, on the host."""
        return self._worker.submit(
            lambda: self._library.judge(case, profile, buffers(tensors), rows))

    def made(self, case, shapes, dtype):
        """A future of the inputs of a dense case, as tensors on the host."""
        tensors = [torch.empty(shape, dtype=dtype) for shape in shapes]

        def make():
            self._library.make(case, buffers(tensors))
            return tensors
        return self._worker.submit(make)
