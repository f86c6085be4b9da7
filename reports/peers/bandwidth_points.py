"""The softmax and vector-add problems that are compared with other libraries, and the bytes that
they must move. No packages needed.
"""
import math
from dataclasses import dataclass

BYTES = {"fp32": 4, "fp16": 2, "bf16": 2}
SECTOR = 32  # the smallest unit that a GPU's memory moves
MOVED = 1 << 30  # read and written together by a large softmax

WIDTHS = (64, 100, 127, 128, 129, 255, 256, 511, 781, 1000, 1024, 2048, 4095, 4096, 4097, 8192,
          12672, 16384, 32768, 50257, 65536, 128256, 131072, 262144, 1048576)
STRIDED_WIDTHS = (64, 128, 129, 781, 1000, 4096, 4097, 32768, 50257)
OTHER_WIDTHS = (129, 1000, 4096, 4097, 32768)
SMALL_WIDTHS = (128, 512, 1024, 2048, 4096, 8192)
SMALL_ROWS = (1, 16, 132, 528, 1024, 4096)
LENGTHS = (10**5, 1 << 20, 10**7, 1 << 24, (1 << 24) + 3, 1 << 28, 1 << 30)
OFFSETS = ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, 1, 1), (1, 2, 3))
ADD_MASKS = ("all", "nothing", "half", "runs", "dense")
MASKED_LENGTH = 1 << 28


@dataclass(frozen=True)
class SoftmaxPoint:
    """`kind`: dense; strided (rows `pad` elements apart); shifted (x and y aligned differently);
    in place; sparse, dense mask, runs (a byte mask that shows 10 %, 90 %, the first part of each
    row); small (replayed)."""
    dtype: str
    rows: int
    columns: int
    kind: str = "dense"

    kernel = "softmax"

    @property
    def pad(self):
        return 1 if self.kind == "strided" else 0

    @property
    def offsets(self):
        """Elements between a 256-byte boundary and the first element, of x and of y."""
        return (1, 2) if self.kind == "shifted" else (0, 0)

    @property
    def mask(self):
        return {"sparse": "sparse", "dense mask": "dense", "runs": "runs"}.get(self.kind)

    @property
    def clock(self):
        """How it is timed: streamed (data far larger than the L2), cold, or replayed."""
        return "replayed" if self.kind == "small" else "streamed"

    @property
    def series(self):
        if self.kind == "small":
            return f"softmax {self.dtype} {self.columns} columns, replayed"
        return f"softmax {self.dtype}" + ("" if self.kind == "dense" else f", {self.kind}")

    @property
    def size(self):
        return self.rows if self.kind == "small" else self.columns

    def case(self):
        more = f" x_pad={self.pad} y_pad={self.pad}" if self.pad else ""
        more += " x_offset=1 y_offset=2" if self.kind == "shifted" else ""
        more += " alias=x" if self.kind == "in place" else ""
        return self.sample_case(self.rows) + more

    def sample_case(self, rows):
        """Text of `rows` rows of it, dense, as they are judged."""
        mask = f" mask={self.mask}" if self.mask else ""
        return (f"softmax dtype={self.dtype} rows={rows} columns={self.columns}{mask} "
                "values=noise seed=1")

    def moved(self, visible_sectors=None):
        """Bytes in whole sectors; with a mask its bytes, those sectors of x that hold a visible
        element, and all of y."""
        size = BYTES[self.dtype]
        if self.mask is not None:
            elements = self.rows * self.columns
            return elements + SECTOR * visible_sectors + elements * size
        if self.pad == 0:
            return 2 * self.rows * self.columns * size
        read, written = strided_sectors(self.rows, self.columns, self.columns + self.pad, size)
        return SECTOR * (read + written)


@dataclass(frozen=True)
class AddPoint:
    """`offsets`: of x, y and out, in elements from a 256-byte boundary; `mask`: the harness's word
    for what a byte mask shows (all, nothing, half, runs of 256, dense: 95 %), or None."""
    dtype: str
    n: int
    offsets: tuple = (0, 0, 0)
    mask: str | None = None

    kernel = "vector_add"

    @property
    def clock(self):
        if self.n <= 1 << 20:
            return "replayed"
        return "cold" if self.n <= (1 << 24) + 3 else "streamed"

    @property
    def series(self):
        mask = f" mask {self.mask}" if self.mask else ""
        moved = ", offsets {} {} {}".format(*self.offsets) if any(self.offsets) else ""
        replayed = ", replayed" if self.clock == "replayed" else ""
        return f"vector_add {self.dtype}{mask}{moved}{replayed}"

    @property
    def size(self):
        return self.n

    def case(self):
        names = ("x_offset", "y_offset", "out_offset")
        more = "".join(f" {name}={at}" for name, at in zip(names, self.offsets) if at)
        mask = f" mask={self.mask}" if self.mask else ""
        return f"vector_add dtype={self.dtype} n={self.n}{mask} values=noise seed=1{more}"

    def moved(self, visible_sectors=None, full_sectors=None):
        """Bytes; with a mask its bytes, the sectors of x, y and out with a visible element, and
        those of out once more where only a part is visible (memory must read what stays)."""
        if self.mask is None:
            return 3 * self.n * BYTES[self.dtype]
        return self.n + SECTOR * (3 * visible_sectors + visible_sectors - full_sectors)


def strided_sectors(rows, columns, stride, size):
    """(sectors read, sectors written) of rows that are `stride` elements apart, from an aligned
    start. A sector of the output that also holds bytes of a gap is counted twice: what stands in
    the gap must be read before the sector can be written."""
    period = SECTOR // math.gcd(stride * size, SECTOR)  # rows until the pattern repeats
    touched, partly = _sectors(min(rows, period), columns, stride, size)
    repeats, rest = divmod(rows, period)
    if repeats > 1 or (repeats == 1 and rest):
        whole = _sectors(2 * period, columns, stride, size)
        step = whole[0] - touched, whole[1] - partly
        tail = _sectors(period + rest, columns, stride, size)
        touched = tail[0] + (repeats - 1) * step[0]
        partly = tail[1] + (repeats - 1) * step[1]
    return touched, touched + partly


def _sectors(rows, columns, stride, size):
    """Sectors with data, and those of them with a byte of a gap between two rows."""
    touched, partly, last = 0, set(), -1
    for row in range(rows):
        first = row * stride * size
        end = first + columns * size
        low, high = max(first // SECTOR, last + 1), (end - 1) // SECTOR
        touched += max(0, high - low + 1)
        last = high
        if row + 1 < rows and stride > columns:
            following = (first + stride * size) // SECTOR
            partly |= {s for s in {end // SECTOR, (first + stride * size - 1) // SECTOR}
                       if s in (high, following)}
    return touched, len(partly)


def large_rows(dtype, columns):
    return max(1, MOVED // (2 * BYTES[dtype] * columns))


def softmax_points(dtype, kinds):
    for kind, widths in (("dense", WIDTHS), ("strided", STRIDED_WIDTHS), ("shifted", OTHER_WIDTHS),
                         ("in place", OTHER_WIDTHS), ("sparse", OTHER_WIDTHS),
                         ("dense mask", OTHER_WIDTHS), ("runs", OTHER_WIDTHS)):
        if kind in kinds:
            for columns in widths:
                yield SoftmaxPoint(dtype, large_rows(dtype, columns), columns, kind)
    if "small" in kinds:
        for columns in SMALL_WIDTHS:
            for rows in SMALL_ROWS:
                yield SoftmaxPoint(dtype, rows, columns, "small")
    if "huge" in kinds:  # rows * columns beyond 2^31
        yield SoftmaxPoint(dtype, (1 << 20) + 1, 2049, "dense")


def add_points(dtype, kinds):
    if "add" in kinds:
        for n in LENGTHS:
            yield AddPoint(dtype, n)
    if "offsets" in kinds:
        for offsets in OFFSETS:
            yield AddPoint(dtype, 1 << 28, offsets)
        yield AddPoint(dtype, (1 << 24) + 3, (1, 0, 0))
    if "masked" in kinds:
        for mask in ADD_MASKS:
            yield AddPoint(dtype, MASKED_LENGTH, mask=mask)
    if "huge" in kinds:
        yield AddPoint(dtype, (1 << 31) + 5)


KINDS = ("dense", "strided", "shifted", "in place", "sparse", "dense mask", "runs", "small", "add",
         "offsets", "masked", "huge")


def share_of(points, share):
    """Every n-th of the points, from the i-th on; `share` is "i/n", i from 0."""
    try:
        first, step = (int(number) for number in share.split("/"))
    except ValueError:
        first = step = 0
    if not 0 <= first < step:
        raise SystemExit(f"--warm: i/n with i from 0 to n - 1, not {share}")
    return points[first::step]
