"""Data of one softmax or vector add on the device: aligned as the point says, with room around it
that must stay as it is, and rows on which a fault shows. There is one output, for all variants:
where it lies in memory moves times by up to 2 %. Needs PyTorch.
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
        self._all = torch.empty(count + 2 * ROOM, dtype=dtype, device="cuda")
        self._first = ROOM + offset
        self.inside = self._all[self._first:self._first + count]
        self.poison()

    def poison(self):
        self._all.fill_(torch.nan)

    def aligned(self):
        """As many elements of the same memory, from a 256-byte boundary."""
        return self._all[ROOM:ROOM + self.inside.numel()]

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
    """x, N(0, 1) with planted rows; mask or None; y, the output of whoever is launched."""

    def __init__(self, point):
        self.point = point
        self.dtype = DTYPES[point.dtype][1]
        self.stride = point.columns + point.pad
        self._x = self._matrix(point.offsets[0])
        self.x = self._rows(self._x)
        self.x.normal_(generator=torch.Generator(device="cuda").manual_seed(point.columns))
        self.planted = self._plant()
        self.mask = None if point.mask is None else self._make_mask()
        self._fence = self._matrix(point.offsets[1])
        self.y = self._rows(self._fence)

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
        """The C problem and its output."""
        x = self.y if self.point.kind == "in place" else self.x
        return softmax_problem(self.point.dtype, x, self.y, self.mask), (self.y,)

    def prepare(self):
        """Before a launch whose output is judged."""
        self._fence.poison()
        if self.point.kind == "in place":
            self.y.copy_(self.x)

    def copied(self):
        """Of a copy: y must be x bit for bit, 0 where hidden."""
        expected = self.x if self.mask is None else torch.where(self.mask != 0, self.x, 0)
        if not torch.equal(bits(self.y), bits(expected)):
            return Failed("other bits than those of x")
        beyond = self._written_beyond()
        return Failed(beyond) if beyond else Verdict(text="pass")

    def _written_beyond(self):
        if not self._fence.intact():
            return "written outside the output"
        if self.point.pad and not self._gaps().isnan().all():
            return "written between the rows"
        return ""

    def verdict(self, judge, launch):
        beyond = self._written_beyond()
        if beyond:
            return Failed(beyond)
        if bool(self.y.isnan().any()):
            return Failed("an element was not written")
        rows = self._sample()
        case = self.point.sample_case(len(rows))
        mask = [] if self.mask is None else [self.mask[rows]]
        tensors = [on_host(t) for t in (self.x[rows], *mask, self.y[rows])]
        return Verdict([judge.submit(case, launch.profile, tensors, len(rows))])

    def _gaps(self):
        rows = self.point.rows - 1  # nothing follows the last row but the fence
        return self.y.as_strided((rows, self.point.pad), (self.stride, 1),
                                 self.y.storage_offset() + self.point.columns)

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
        self._fences = [Fenced(point.n, self.dtype, at) for at in point.offsets]
        self.x, self.y, self.out = (fence.inside for fence in self._fences)
        self.x.normal_(generator=source)
        self.y.normal_(generator=source)
        self.mask = None if point.mask is None else self._make_mask()
        self.old = None  # what masked elements of the output hold, and keep
        if self.mask is not None:
            self.old = torch.empty(point.n, dtype=self.dtype, device="cuda").normal_()

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
        return self._problem(self.x, self.y, self.out)

    def aligned_problem(self):
        """The same sizes from 256-byte boundaries of the same memory; for its time only."""
        return self._problem(*(fence.aligned() for fence in self._fences))

    def _problem(self, x, y, out):
        return vector_add_problem(self.point.dtype, x, y, out, self.mask), (out,)

    def prepare(self):
        self._fences[2].poison()
        if self.old is not None:
            self.out.copy_(self.old)

    def verdict(self, judge, launch):
        """All bits against a sum in fp32 rounded once, both ends by the judge as well."""
        if not self._fences[2].intact():
            return Failed("written outside the output")
        for first in range(0, self.point.n, CHUNK):
            part = slice(first, first + CHUNK)
            if not torch.equal(bits(self.out[part]), bits(self._expected(part))):
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
        tensors = [self.x[part], self.y[part], self.out[part]]
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
