"""Softmax (one row per program) and vector add in Triton, the plain way, as implementations."""
import torch
import triton
import triton.language as tl

import abi
from torch_peers import matrix, on_stream, view


@triton.jit
def _softmax_rows(x, y, x_stride, y_stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK)
    inside = column < columns
    value = tl.load(x + row * x_stride + column, mask=inside, other=-float("inf")).to(tl.float32)
    weight = tl.exp(value - tl.max(value, axis=0))
    share = weight / tl.sum(weight, axis=0)
    tl.store(y + row * y_stride + column, share.to(y.dtype.element_ty), mask=inside)


@triton.jit
def _masked_softmax_rows(x, y, mask, x_stride, y_stride, mask_stride, columns,
                         BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK)
    inside = column < columns
    visible = inside & (tl.load(mask + row * mask_stride + column, mask=inside, other=0) != 0)
    value = tl.load(x + row * x_stride + column, mask=visible, other=-float("inf")).to(tl.float32)
    top = tl.max(value, axis=0)
    weight = tl.exp(value - tl.where(top == -float("inf"), 0.0, top))
    total = tl.sum(weight, axis=0)
    share = weight / tl.where(total == 0.0, 1.0, total)
    tl.store(y + row * y_stride + column, share.to(y.dtype.element_ty), mask=inside)


@triton.jit
def _add(x, y, out, n, BLOCK: tl.constexpr):
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = index < n
    total = tl.load(x + index, mask=inside).to(tl.float32) + tl.load(y + index, mask=inside).to(
        tl.float32)
    tl.store(out + index, total.to(out.dtype.element_ty), mask=inside)


@triton.jit
def _masked_add(x, y, mask, out, n, BLOCK: tl.constexpr):
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = index < n
    visible = inside & (tl.load(mask + index, mask=inside, other=0) != 0)
    total = tl.load(x + index, mask=visible).to(tl.float32) + tl.load(y + index, mask=visible).to(
        tl.float32)
    tl.store(out + index, total.to(out.dtype.element_ty), mask=visible)


def warps_of(block):
    """Warps a row of `block` columns, the best of those tried at each width on an H200."""
    for most, warps in ((256, 1), (512, 2), (2048, 4), (8192, 8), (32768, 16)):
        if block <= most:
            return warps
    return 32


def launch_softmax(x, y, mask=None):
    """Softmax of matrices with dense rows on the current stream, one row a program."""
    rows, columns = x.shape
    block = triton.next_power_of_2(columns)
    options = {"BLOCK": block, "num_warps": warps_of(block)}
    if mask is None:
        _softmax_rows[(rows,)](x, y, x.stride(0), y.stride(0), columns, **options)
    else:
        _masked_softmax_rows[(rows,)](x, y, mask, x.stride(0), y.stride(0), mask.stride(0),
                                      columns, **options)


def launch_add(x, y, out, mask, block, warps):
    n = x.numel()
    grid = (triton.cdiv(n, block),)
    if mask is None:
        _add[grid](x, y, out, n, BLOCK=block, num_warps=warps)
    else:
        _masked_add[grid](x, y, mask, out, n, BLOCK=block, num_warps=warps)


class TritonSoftmax(abi.Peer):
    name = "triton"
    kernel = abi.SOFTMAX
    most_columns = 131072  # a whole row in registers

    def accepts(self, problem):
        p = problem.softmax
        return not p.mask and p.rows > 0 and 0 < p.columns <= self.most_columns

    def launch(self, p, stream):
        x, y = matrix(p, p.x, p.x_row_stride), matrix(p, p.y, p.y_row_stride)
        with on_stream(stream):
            launch_softmax(x, y)


class TritonAdd(abi.Peer):
    name = "triton"
    kernel = abi.VECTOR_ADD
    block = 1024

    def accepts(self, problem):
        return problem.vector_add.n > 0

    def describe(self, profile, problem):
        profile.name = self.name.encode()

    def launch(self, p, stream):
        x, y, out = (view(a, (p.n,), (1,), p.dtype) for a in (p.x, p.y, p.out))
        mask = view(p.mask, (p.n,), (1,), None) if p.mask else None
        with on_stream(stream):
            launch_add(x, y, out, mask, self.block, 4)


def works():
    """Empty, or why Triton cannot be used here (no C compiler for its launcher, say)."""
    try:
        one = torch.ones(8, device="cuda")
        out = torch.zeros_like(one)
        _add[(1,)](one, one, out, 8, BLOCK=16)
        return "" if bool((out == 2).all()) else "its first kernel gave wrong sums"
    except Exception as error:  # noqa: BLE001: any failure means that there is no such peer
        return f"{type(error).__name__}: {error}".splitlines()[0]
