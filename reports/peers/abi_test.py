"""abi_test.py <liboddtile.so>: the table filled from Python is checked like any other, on the
simulator, where device memory is host memory: a right peer passes, a wrong one is caught."""
import ctypes as c
import math
import struct
import sys

import abi


class PythonSoftmax(abi.Peer):
    name = "python softmax"
    kernel = abi.SOFTMAX
    factor = 1.0

    def accepts(self, problem):
        p = problem.softmax
        return p.dtype == abi.FP32 and not p.mask and p.columns > 0

    def launch(self, p, stream):
        for row in range(p.rows):
            x = (c.c_float * p.columns).from_address(p.x + 4 * row * p.x_row_stride)
            y = (c.c_float * p.columns).from_address(p.y + 4 * row * p.y_row_stride)
            top = max(x)
            weights = [math.exp(value - top) for value in x]
            total = math.fsum(weights)
            for column, weight in enumerate(weights):
                y[column] = self.factor * weight / total


class WrongSoftmax(PythonSoftmax):
    name = "wrong softmax"
    factor = 1.0 + 1e-4


class LateSoftmax(PythonSoftmax):
    """Returns a buffer of its own and delivers it when it is asked to."""
    name = "late softmax"
    returns_own_buffer = True

    def launch(self, p, stream):
        size = 4 * p.rows * p.y_row_stride
        self.kept = c.create_string_buffer(size)
        self.target = (p.y, size)
        copy = abi.SoftmaxProblem.from_buffer_copy(p)
        copy.y = c.addressof(self.kept)
        super().launch(copy, stream)

    def deliver(self):
        c.memmove(self.target[0], self.kept, self.target[1])


class RaisingSoftmax(PythonSoftmax):
    name = "raising softmax"

    def launch(self, p, stream):
        raise ValueError("this is said on purpose")


def main():
    library = abi.Oddtile(sys.argv[1])
    case = "softmax rows=3 columns=37 values=noise"
    assert struct.calcsize("P") == 8

    for peer in (PythonSoftmax(), LateSoftmax()):
        entry = library.check("sim", case, peer)
        assert entry["verdict"] == "pass", entry
        assert entry["implementation"] == peer.name
        assert entry["quantities"][0]["judged"] == 3 * 37, entry

    wrong = library.check("sim", case, WrongSoftmax())
    assert wrong["verdict"] == "fail" and wrong["broken"] == "within_bound", wrong
    failure = wrong["failure"]
    assert failure["tensor"] == "y" and failure["ratio"] > 1, failure
    assert case in failure["replay"], failure
    raising = library.check("sim", case, RaisingSoftmax())
    assert raising["verdict"] == "fail" and raising["broken"] == "launches", raising

    ours = library.check("sim", case, library.table("sim", "fused"))
    assert ours["verdict"] == "pass", ours
    table = library.table("sim", "fused").contents
    assert table.struct_size == c.sizeof(abi.Implementation), table.struct_size

    for ask, word in (
            (lambda: library.check("sim", "softmax colums=3", PythonSoftmax()), "colums"),
            (lambda: library.check("sim", "attention seq_q=1 seq_k=1", PythonSoftmax()), "offer"),
            (lambda: library.check("tpu", case, PythonSoftmax()), "machines: sim, cuda"),
            (lambda: library.table("tpu", "fused"), "machines: sim, cuda"),
            (lambda: library.table("sim", "best"), "fused, eager")):
        try:
            ask()
        except RuntimeError as error:
            assert word in str(error), error
        else:
            raise AssertionError(f"nothing refused what should be answered with {word}")
    print("the Python table is checked like any other: 6 verdicts, 5 refusals")


main()
