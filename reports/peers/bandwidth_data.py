"""Data of one softmax or vector add on the device: aligned as the point says, with room around it
that must stay as it is, and rows on which a fault shows. Needs PyTorch.
"""
import random

import torch

from judging import Verdict, on_host
from our_launch import DTYPES, softmax_problem, vector_add_problem

ROOM = 128  # elements of 2 bytes or more: a multiple of 256 bytes, so that offsets say it all
ROWS_JUDGED, ELEMENTS_JUDGED = 40, 1 << 22
CHUNK = 1 << 28


class Fenced:
    """`count` elements at an offset from a 256-byte boundary, between elements that hold NaN."""

    def __init__(self, count, dtype, offset=0):
        self._all = torch.full((count + 2 * ROOM,), torch.nan, dtype=dtype, device="cuda")
        self._first = ROOM + offset
        self.inside = self._all[self._first:self._first + count]

    def intact(self):
        after = self._first + self.inside.numel()
        return bool(self._all[:self._first].isnan().all() and self._all[after:].isnan().all())


class Failed(Verdict):
    """What the judge was not needed for."""

    def __init__(self, why):
        super().__init__(text="fail")
        self._why = why

    def complaint(self):
        return self._why


class SoftmaxData:
    """x, N(0, 1) with planted rows; mask or None; problem() for ours, peers_y for the peers."""

    def __init__(self, point):
        self.point = point
        self.dtype = DTYPES[point.dtype][1]
        self.stride = point.columns + point.pad
        self._x = self._matrix(point.offsets[0])
        self.x = self._rows(self._x)
        self.x.normal_(generator=torch.Generator(device="cuda").manual_seed(point.columns))
        self.planted = self._plant()
        self.mask = None if point.mask is None else self._make_mask()
        self.peers_y = self._rows(self._matrix(point.offsets[1]))
        if point.kind == "in place":
            self.peers_y.copy_(self.x)

    def _matrix(self, offset):
        return Fenced(self.point.rows * self.stride - self.point.pad, self.dtype, offset)

    def _rows(self, fenced):
        return fenced.inside.as_strided((self.point.rows, self.point.columns), (self.stride, 1))

    def _plant(self):
        """Rows on which a maximum that starts at 0, a lost rescale or a lost last column shows."""
        rows, columns = self.x.shape
        deep, spread, last = {0, rows // 2, rows - 1}, 1 % rows, 2 % rows
        self.x[last, -1] = 10
        self.x[spread] *= 20
        for row in deep:
            self.x[row] = -200
            self.x[row, (7 * row + columns // 3) % columns] = 100
        return sorted(deep | {spread, last})

    def _make_mask(self):
        rows, columns = self.x.shape
        if self.point.mask == "runs":  # the padding of a batch: a prefix of each row is data
            source = torch.Generator(device="cuda").manual_seed(1)
            ends = torch.randint(1, columns + 1, (rows, 1), device="cuda", generator=source)
            mask = (torch.arange(columns, device="cuda") < ends).to(torch.uint8)
        else:
            share = {"sparse": 0.1, "dense": 0.9}[self.point.mask]
            mask = shown((rows, columns), share)
        mask[3 % rows] = 0
        return mask

    def visible_sectors(self):
        """Sectors of x with a visible element; nothing without a mask."""
        if self.mask is None:
            return ()
        return (int(seen_by_sector(self.mask, self.x.element_size()).any(1).sum()),)

    def problem(self):
        """The C problem and its output, fenced."""
        fence = self._matrix(self.point.offsets[1])
        y = self._rows(fence)
        y.fence = fence
        x = y if self.point.kind == "in place" else self.x
        return softmax_problem(self.point.dtype, x, y, self.mask), (y,)

    def prepare(self, launch):
        """Before a launch whose output is judged."""
        launch.tensors[0].fence.inside.fill_(torch.nan)
        if self.point.kind == "in place":
            launch.tensors[0].copy_(self.x)

    def copied(self, launch):
        """Of a copy: y must be x bit for bit, 0 where hidden."""
        y = launch.tensors[0]
        expected = self.x if self.mask is None else torch.where(self.mask != 0, self.x, 0)
        if not torch.equal(bits(y), bits(expected)):
            return Failed("other bits than those of x")
        beyond = self._written_beyond(y)
        return Failed(beyond) if beyond else Verdict(text="pass")

    def _written_beyond(self, y):
        if not y.fence.intact():
            return "written outside the output"
        if self.point.pad and not self._gaps(y).isnan().all():
            return "written between the rows"
        return ""

    def verdict(self, judge, launch):
        y = launch.tensors[0]
        beyond = self._written_beyond(y)
        if beyond:
            return Failed(beyond)
        if bool(y.isnan().any()):
            return Failed("an element was not written")
        rows = self._sample()
        case = self.point.sample_case(len(rows))
        mask = [] if self.mask is None else [self.mask[rows]]
        tensors = [on_host(t) for t in (self.x[rows], *mask, y[rows])]
        return Verdict([judge.submit(case, launch.profile, tensors, len(rows))])

    def _gaps(self, y):
        rows = y.shape[0] - 1  # nothing follows the last row but the fence
        return y.fence.inside.as_strided((rows, self.point.pad), (self.stride, 1),
                                         y.storage_offset() + self.point.columns)

    def _sample(self):
        rows, columns = self.x.shape
        count = min(rows, ROWS_JUDGED, max(len(self.planted), ELEMENTS_JUDGED // columns))
        if count == rows:
            return list(range(rows))
        draw = random.Random(rows).choices(range(rows), k=max(0, count - len(self.planted)))
        return sorted({*self.planted, *draw, 3 % rows})


class AddData:
    def __init__(self, point):
        self.point = point
        self.dtype = DTYPES[point.dtype][1]
        source = torch.Generator(device="cuda").manual_seed(point.n % 1000)
        inputs = [Fenced(point.n, self.dtype, at) for at in point.offsets[:2]]
        self.x, self.y = (f.inside.normal_(generator=source) for f in inputs)
        self.mask = None if point.mask is None else self._make_mask()
        self.old = None  # what masked elements of the output hold, and keep
        if self.mask is not None:
            self.old = torch.empty(point.n, dtype=self.dtype, device="cuda").normal_()
        self.peers_out = Fenced(point.n, self.dtype, point.offsets[2]).inside

    def _make_mask(self):
        n, kind = self.point.n, self.point.mask
        if kind == "runs":
            return shown((n // 256,), 0.5).repeat_interleave(256)
        share = {"all": 1.1, "nothing": -0.1, "half": 0.5, "dense": 0.95}[kind]
        return shown((n,), share)

    def visible_sectors(self):
        """Sectors with a visible element, entirely visible sectors; nothing without a mask."""
        if self.mask is None:
            return ()
        seen = seen_by_sector(self.mask, self.x.element_size())
        return int(seen.any(1).sum()), int(seen.all(1).sum())

    def problem(self):
        fence = Fenced(self.point.n, self.dtype, self.point.offsets[2])
        out = fence.inside
        out.fence = fence
        return vector_add_problem(self.point.dtype, self.x, self.y, out, self.mask), (out,)

    def prepare(self, launch):
        out = launch.tensors[0]
        if self.old is None:
            out.fill_(torch.nan)
        else:
            out.copy_(self.old)

    def verdict(self, judge, launch):
        """All bits against a sum in fp32 rounded once, both ends by the judge as well."""
        out = launch.tensors[0]
        if not out.fence.intact():
            return Failed("written outside the output")
        for first in range(0, self.point.n, CHUNK):
            part = slice(first, first + CHUNK)
            if not torch.equal(bits(out[part]), bits(self._expected(part))):
                return Failed(f"other bits than the rounded sum, from element {first} on")
        return Verdict([self._submit(judge, launch, part) for part in self._ends()])

    def _expected(self, part):
        total = (self.x[part].float() + self.y[part].float()).to(self.dtype)
        return total if self.mask is None else torch.where(self.mask[part] != 0, total,
                                                           self.old[part])

    def _ends(self):
        most = 1 << 16
        if self.point.n <= 2 * most:
            return [slice(0, self.point.n)]
        return [slice(0, most), slice(self.point.n - most, self.point.n)]

    def _submit(self, judge, launch, part):
        """The judge does not know what masked elements held; verdict() compared them already."""
        tensors = [self.x[part], self.y[part], launch.tensors[0][part]]
        if self.mask is not None:
            tensors = [t[self.mask[part] != 0] for t in tensors]
        count = tensors[0].numel()
        return judge.submit(f"vector_add dtype={self.point.dtype} n={count} values=noise",
                            launch.profile, [on_host(t) for t in tensors])


def shown(shape, share):
    """A byte mask that shows `share` of its elements, the same one every time."""
    source = torch.Generator(device="cuda").manual_seed(1)
    return (torch.empty(shape, device="cuda").uniform_(generator=source) < share).to(torch.uint8)


def bits(tensor):
    return tensor.view({4: torch.int32, 2: torch.int16}[tensor.element_size()])


def seen_by_sector(mask, element_bytes):
    """Which elements of each 32-byte sector of a tensor with this mask are visible; what a last
    sector lacks counts as hidden."""
    per = 32 // element_bytes
    flat = mask.flatten()
    if flat.numel() % per:
        flat = torch.nn.functional.pad(flat, (0, per - flat.numel() % per))
    return flat.view(-1, per) != 0
