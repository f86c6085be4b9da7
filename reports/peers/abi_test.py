"""abi_test.py <liboddtile.so>: the table filled from Python is checked like any other, on the
simulator, where device memory is host memory: a right peer passes, a wrong one is caught."""
import ctypes as c
import math
import struct
import sys

import abi
import peer_record


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


def softmax_profile():
    profile = abi.Profile()
    problem = abi.Problem(kernel=abi.SOFTMAX)
    PythonSoftmax().describe(profile, problem)
    return profile


def judge_elsewhere(library):
    """Inputs that the library makes, outputs of our own: one verdict each, and refusals."""
    case, count = "softmax rows=3 columns=37 values=noise", 3 * 37
    x, y = (c.c_float * count)(), (c.c_float * count)()
    library.make(case, [(c.addressof(x), c.sizeof(x))])
    assert len(set(x)) > 90, "the inputs were not made"
    problem = abi.SoftmaxProblem(rows=3, columns=37, x=c.addressof(x), x_row_stride=37,
                                 y=c.addressof(y), y_row_stride=37)
    PythonSoftmax().launch(problem, 0)
    both = [(c.addressof(tensor), c.sizeof(tensor)) for tensor in (x, y)]
    profile = softmax_profile()
    good = library.judge(case, profile, both, 8)
    assert good["verdict"] == "pass" and good["quantities"][0]["judged"] == count, good
    y[40] *= 1 + 1e-5
    bad = library.judge(case, profile, both, 8)
    assert bad["verdict"] == "fail" and bad["broken"], bad
    wrong_size = [both[0], (both[1][0], both[1][1] - 4)]
    return ((lambda: library.judge(case, profile, both[:1], 8), "every tensor"),
            (lambda: library.judge(case, profile, wrong_size, 8), "444 bytes, its buffer 440"),
            (lambda: library.judge(case + " x_pad=1", profile, both, 8), "not dense"),
            (lambda: library.judge(case + " x_layout=broadcast", profile, both, 8), "not dense"),
            (lambda: library.make(case, both), "output is not made"),
            (lambda: library.judge("vector_add dtype=fp32 n=111 mask=half", profile,
                                   [both[0], both[0], (both[1][0], 111), both[1]], 8),
             "held before"))


class KeptAttention(abi.Peer):
    """Our own attention, launched from Python; keeps the tensors of its last launch."""
    name = "kept attention"
    kernel = abi.ATTENTION

    def __init__(self, table):
        self.ours = table.contents
        super().__init__()

    def accepts(self, problem):
        self.id = next(i for i in abi.admissible(self.ours, problem)
                       if self.ours.workspace_bytes(c.byref(problem), i) == 0)
        return True

    def describe(self, profile, problem):
        assert self.ours.describe(c.byref(problem), self.id, c.byref(profile)) == abi.OK
        self.profile = abi.Profile.from_buffer_copy(profile)

    def launch(self, p, stream):
        assert self.ours.attention(c.byref(p), self.id, None, stream) == abi.OK
        rows = p.batch * p.heads_q * p.seq_q
        self.tensors = [bytearray(c.string_at(t.data, 2 * rows * p.head_dim))
                        for t in (p.q, p.k, p.v, p.o)] + [bytearray(c.string_at(p.lse, 4 * rows))]

    def buffers(self):
        return [(c.addressof(c.c_char.from_buffer(t)), len(t)) for t in self.tensors]


def attention_elsewhere(library):
    """Inputs from the library, the launch from here, the verdict from the library again."""
    case = ("attention dtype=fp16 batch=2 heads_kv=3 group=1 seq_q=40 seq_k=40 head_dim=64 "
            "band_high=0 scores=ties contents=coded seed=3")
    kept = KeptAttention(library.table("sim", "fused"))
    assert library.check("sim", case, kept)["verdict"] == "pass"
    made = [bytearray(len(t)) for t in kept.tensors[:3]]
    library.make(case, [(c.addressof(c.c_char.from_buffer(t)), len(t)) for t in made])
    assert made == kept.tensors[:3], "the inputs are not those of the case"
    good = library.judge(case, kept.profile, kept.buffers(), 1000)
    assert good["verdict"] == "pass" and len(good["quantities"]) == 2, good
    assert good["visible_edge_keys"] > 0.9, good
    kept.tensors[4][4 * 77 + 1] ^= 0x80  # of one LSE, far beyond the bound
    bad = library.judge(case, kept.profile, kept.buffers(), 1000)
    assert bad["verdict"] == "fail" and "lse" in bad["broken"], bad


def as_plugin(path):
    """The library has a table of the GPU for other programs, or says why it has none."""
    library = c.CDLL(path)
    library.oddtile_plugin.restype = c.POINTER(abi.Implementation)
    library.oddtile_text.restype = c.c_char_p
    assert not library.oddtile_plugin(abi.ABI_VERSION + 1)
    assert b"not 3" in library.oddtile_text(), library.oddtile_text()
    table = library.oddtile_plugin(abi.ABI_VERSION)
    if table:
        assert table.contents.name == b"fused" and table.contents.abi_version == abi.ABI_VERSION
    else:
        assert b"'cuda' is not here: " in library.oddtile_text(), library.oddtile_text()


def main():
    as_plugin(sys.argv[1])
    library = abi.Oddtile(sys.argv[1])
    attention_elsewhere(library)
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
    copies = library.copies("sim")
    for words, name in zip((" x_pad=1 y_pad=1", " mask=sparse"), peer_record.COPIES):
        copied = library.check("sim", case + words, copies)  # it copies, cleanly
        assert copied["verdict"] == "fail" and copied["broken"] == "within_bound", copied
        assert copied["failure"]["report"][0].endswith(f"({name})"), copied

    for ask, word in (
            (lambda: library.check("sim", "softmax colums=3", PythonSoftmax()), "colums"),
            (lambda: library.check("sim", "attention seq_q=1 seq_k=1", PythonSoftmax()), "offer"),
            (lambda: library.check("tpu", case, PythonSoftmax()), "machines: sim, cuda"),
            (lambda: library.table("tpu", "fused"), "machines: sim, cuda"),
            (lambda: library.copies("tpu"), "machines: sim, cuda"),
            (lambda: library.check("sim", case, copies), "copies does not offer"),
            (lambda: library.table("sim", "best"), "fused, eager"),
            *judge_elsewhere(library)):
        try:
            ask()
        except RuntimeError as error:
            assert word in str(error), error
        else:
            raise AssertionError(f"nothing refused what should be answered with {word}")
    print("the Python table is checked like any other: 12 verdicts, 13 refusals")


main()
