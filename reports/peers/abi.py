"""kernels/api/kernels.h and oddtile_c.h in ctypes, and a base class for implementations in Python.

abi_test.py checks this mirror against the library, on the simulator.
"""
import ctypes as c
import json

OK, UNSUPPORTED, LAUNCH_FAILED = 0, 10, 11
BAD_CONFIGURATION = 8
FP32, FP16, BF16 = 0, 1, 2
VECTOR_ADD, SOFTMAX, ATTENTION = 0, 1, 2
TOP_LEFT, BOTTOM_RIGHT = 0, 1
UNBOUNDED_LOW, UNBOUNDED_HIGH = -(2**63), 2**63 - 1
ABI_VERSION = 2


class VectorAddProblem(c.Structure):
    _fields_ = [("dtype", c.c_int), ("n", c.c_int64), ("x", c.c_void_p), ("y", c.c_void_p),
                ("mask", c.c_void_p), ("out", c.c_void_p)]


class SoftmaxProblem(c.Structure):
    _fields_ = [("dtype", c.c_int), ("rows", c.c_int64), ("columns", c.c_int64), ("x", c.c_void_p),
                ("x_row_stride", c.c_int64), ("y", c.c_void_p), ("y_row_stride", c.c_int64),
                ("mask", c.c_void_p), ("mask_row_stride", c.c_int64)]


class Tensor(c.Structure):
    _fields_ = [("data", c.c_void_p), ("batch_stride", c.c_int64), ("head_stride", c.c_int64),
                ("row_stride", c.c_int64)]


class AttentionProblem(c.Structure):
    _fields_ = [("dtype", c.c_int), ("batch", c.c_int64), ("heads_q", c.c_int64),
                ("heads_kv", c.c_int64), ("seq_q", c.c_int64), ("seq_k", c.c_int64),
                ("head_dim", c.c_int64), ("scale", c.c_float), ("q", Tensor), ("k", Tensor),
                ("v", Tensor), ("o", Tensor), ("lse", c.c_void_p),
                ("lse_batch_stride", c.c_int64), ("lse_head_stride", c.c_int64),
                ("lse_row_stride", c.c_int64), ("key_length", c.c_void_p),
                ("band_low", c.c_int64), ("band_high", c.c_int64), ("anchor", c.c_int),
                ("mask", c.c_void_p), ("mask_batch_stride", c.c_int64),
                ("mask_head_stride", c.c_int64), ("mask_row_stride", c.c_int64),
                ("mask_column_stride", c.c_int64)]


class _AnyProblem(c.Union):
    _fields_ = [("vector_add", VectorAddProblem), ("softmax", SoftmaxProblem),
                ("attention", AttentionProblem)]


class Problem(c.Structure):
    _anonymous_ = ["any"]
    _fields_ = [("kernel", c.c_int), ("any", _AnyProblem)]


class Profile(c.Structure):
    _fields_ = [("name", c.c_char * 48), ("tile_rows", c.c_int32), ("tile_columns", c.c_int32),
                ("sum_lanes", c.c_int32), ("mma_products", c.c_int32),
                ("mma_fraction_bits", c.c_int32), ("weight_dtype", c.c_int),
                ("weight_normalised", c.c_int32), ("exp2_flushes", c.c_int32),
                ("mma_rounds", c.c_int32), ("machine_arithmetic", c.c_int32),
                ("exp2_error", c.c_double), ("log2_error", c.c_double),
                ("division_error_u", c.c_double), ("extra_frame_u", c.c_double),
                ("lazy_threshold_log2", c.c_double)]


_CONFIGURATIONS = c.CFUNCTYPE(c.c_int32, c.POINTER(Problem), c.POINTER(c.c_int32), c.c_int32)
_DESCRIBE = c.CFUNCTYPE(c.c_int, c.POINTER(Problem), c.c_int32, c.POINTER(Profile))
_WORKSPACE = c.CFUNCTYPE(c.c_int64, c.POINTER(Problem), c.c_int32)
_ADD = c.CFUNCTYPE(c.c_int, c.POINTER(VectorAddProblem), c.c_int32, c.c_void_p, c.c_void_p)
_SOFTMAX = c.CFUNCTYPE(c.c_int, c.POINTER(SoftmaxProblem), c.c_int32, c.c_void_p, c.c_void_p)
_ATTENTION = c.CFUNCTYPE(c.c_int, c.POINTER(AttentionProblem), c.c_int32, c.c_void_p, c.c_void_p)
# A callback cannot return a Python string safely; a constant's address can be returned.
_STATUS_TEXT = c.CFUNCTYPE(c.c_void_p, c.c_int)
DELIVER = c.CFUNCTYPE(None)


class Buffer(c.Structure):
    """A tensor on the host: oddtile_c.h."""
    _fields_ = [("data", c.c_void_p), ("bytes", c.c_int64)]


class Implementation(c.Structure):
    _fields_ = [("abi_version", c.c_uint32), ("struct_size", c.c_uint32), ("name", c.c_char_p),
                ("capabilities", c.c_uint64), ("configurations", _CONFIGURATIONS),
                ("describe", _DESCRIBE), ("workspace_bytes", _WORKSPACE), ("vector_add", _ADD),
                ("softmax", _SOFTMAX), ("attention", _ATTENTION), ("status_text", _STATUS_TEXT)]


class Peer:
    """An implementation written in Python.

    Subclasses set `name` and `kernel`, and define accepts(problem) and launch(problem, stream).
    A peer whose library returns a buffer of its own sets `returns_own_buffer` and defines
    deliver(); while `immediate` is set (checks), deliver() follows every launch.
    """
    name = "?"
    kernel = SOFTMAX
    returns_own_buffer = False

    def __init__(self):
        self.immediate = True
        self.error = ""  # of the last failure: a callback cannot raise through C
        self._status = c.create_string_buffer(b"the Python peer failed (its error was printed)")
        self._name = self.name.encode()
        call = {VECTOR_ADD: _ADD(), SOFTMAX: _SOFTMAX(), ATTENTION: _ATTENTION()}
        call[self.kernel] = type(call[self.kernel])(self._launch)
        self.deliver_callback = DELIVER(self._deliver) if self.returns_own_buffer else DELIVER()
        # The callbacks live as long as this object, through the structure that holds them.
        self.table = Implementation(
            ABI_VERSION, c.sizeof(Implementation), self._name, 0,
            _CONFIGURATIONS(self._configurations), _DESCRIBE(self._describe),
            _WORKSPACE(lambda problem, config: 0), call[VECTOR_ADD], call[SOFTMAX],
            call[ATTENTION], _STATUS_TEXT(lambda status: c.addressof(self._status)))

    def accepts(self, problem):
        raise NotImplementedError

    def launch(self, problem, stream):
        raise NotImplementedError

    def deliver(self):
        raise NotImplementedError

    def describe(self, profile, problem):
        """What is assumed of its arithmetic; the library's defaults suit most kernels."""
        profile.name = self.name.encode()[:47]
        profile.tile_rows = profile.tile_columns = 64
        profile.sum_lanes = 4 if self.kernel == ATTENTION else 32
        profile.mma_products, profile.mma_fraction_bits = 16, 23
        profile.weight_dtype = problem.attention.dtype if self.kernel == ATTENTION else FP32
        profile.exp2_flushes = 1
        profile.exp2_error = 2.0**-22
        profile.log2_error = 2.0**-21
        profile.division_error_u = 2
        # Most online kernels rescale by a factor taken from unrounded maxima.
        profile.extra_frame_u = 1 if self.kernel == ATTENTION else 0

    def _guard(self, body, failed):
        try:
            return body()
        except Exception as error:  # noqa: BLE001: nothing may cross into C
            text = f"{type(error).__name__}: {error}".splitlines()[0]
            if text != self.error:
                print(f"{self.name}: {text}", flush=True)
            self.error = text
            return failed

    def _configurations(self, problem, ids, capacity):
        def body():
            wanted = problem.contents.kernel == self.kernel and self.accepts(problem.contents)
            if wanted and capacity > 0:
                ids[0] = 0
            return 1 if wanted else 0
        return self._guard(body, 0)

    def _describe(self, problem, config, profile):
        def body():
            if config != 0:
                return BAD_CONFIGURATION
            c.memset(profile, 0, c.sizeof(Profile))
            self.describe(profile.contents, problem.contents)
            return OK
        return self._guard(body, UNSUPPORTED)

    def _launch(self, problem, config, workspace, stream):
        def body():
            self.launch(problem.contents, stream or 0)
            if self.returns_own_buffer and self.immediate:
                self.deliver()
            return OK
        return self._guard(body, LAUNCH_FAILED)

    def _deliver(self):
        self._guard(self.deliver, None)


def admissible(table, problem):
    """Ids of the configurations for a problem, the preferred one first."""
    ids = (c.c_int32 * 256)()
    count = table.configurations(c.byref(problem), ids, len(ids))
    return list(ids[:min(count, len(ids))])


class Oddtile:
    """The library: check and time tables, ours or a Peer's."""

    def __init__(self, path):
        self._library = library = c.CDLL(path)
        library.oddtile_table.restype = c.POINTER(Implementation)
        library.oddtile_table.argtypes = [c.c_char_p, c.c_char_p]
        library.oddtile_copies.restype = c.POINTER(Implementation)
        library.oddtile_copies.argtypes = [c.c_char_p]
        library.oddtile_text.restype = c.c_char_p
        library.oddtile_check.argtypes = [c.c_char_p, c.c_char_p, c.POINTER(Implementation)]
        library.oddtile_time.argtypes = [c.c_char_p, c.POINTER(c.POINTER(Implementation)),
                                         c.POINTER(DELIVER), c.c_int32, c.c_char_p, c.c_int32]

        library.oddtile_make.argtypes = [c.c_char_p, c.POINTER(Buffer), c.c_int32]
        library.oddtile_judge.argtypes = [c.c_char_p, c.POINTER(Profile), c.POINTER(Buffer),
                                          c.c_int32, c.c_int64]

    def _result(self, code):
        text = self._library.oddtile_text().decode()
        if code >= 2:
            raise RuntimeError(text)
        return json.loads(text)

    def table(self, machine, name):
        table = self._library.oddtile_table(machine.encode(), name.encode())
        if not table:
            reason = self._library.oddtile_text().decode()
            raise RuntimeError(f"no table {name} on {machine}: {reason}")
        return table

    def copies(self, machine):
        """The copies that move a softmax's sectors; their table's softmax is none."""
        table = self._library.oddtile_copies(machine.encode())
        if not table:
            raise RuntimeError(self._library.oddtile_text().decode())
        return table

    def environment(self):
        return self._result(self._library.oddtile_environment())

    def check(self, machine, case, table):
        """One error entry of a record; `table` is a Peer or a pointer from table()."""
        pointer = c.pointer(table.table) if isinstance(table, Peer) else table
        return self._result(self._library.oddtile_check(machine.encode(), case.encode(), pointer))

    def time(self, case, contenders, baseline, rounds):
        """A record with timings and skips, of tables measured side by side."""
        tables, delivers = [], []
        for contender in contenders:
            peer = isinstance(contender, Peer)
            tables.append(c.pointer(contender.table) if peer else contender)
            delivers.append(contender.deliver_callback if peer else DELIVER())
            if peer:
                contender.immediate = False
        count = len(tables)
        try:
            code = self._library.oddtile_time(
                case.encode(), (c.POINTER(Implementation) * count)(*tables),
                (DELIVER * count)(*delivers), count, baseline.encode(), rounds)
        finally:
            for contender in contenders:
                if isinstance(contender, Peer):
                    contender.immediate = True
        return self._result(code)

    def make(self, case, buffers):
        """Fills the first inputs of a dense case; buffers: (address, bytes) on the host."""
        code = self._library.oddtile_make(case.encode(), _buffers(buffers), len(buffers))
        if code:
            raise RuntimeError(self._library.oddtile_text().decode())

    def judge(self, case, profile, buffers, rows):
        """An error entry of outputs made elsewhere; buffers: all tensors of a dense case."""
        return self._result(self._library.oddtile_judge(
            case.encode(), c.byref(profile), _buffers(buffers), len(buffers), rows))


def _buffers(pairs):
    return (Buffer * len(pairs))(*[Buffer(address, size) for address, size in pairs])
