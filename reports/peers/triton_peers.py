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


class TritonSoftmax(abi.Peer):
    name = "triton"
    kernel = abi.SOFTMAX
    most_columns = 65536  # a whole row in registers

    def accepts(self, problem):
        p = problem.softmax
        return not p.mask and p.rows > 0 and 0 < p.columns <= self.most_columns

    def launch(self, p, stream):
        x, y = matrix(p, p.x, p.x_row_stride), matrix(p, p.y, p.y_row_stride)
        block = triton.next_power_of_2(p.columns)
        warps = 4 if block <= 2048 else (8 if block <= 8192 else 16)
        with on_stream(stream):
            _softmax_rows[(p.rows,)](x, y, p.x_row_stride, p.y_row_stride, p.columns, BLOCK=block,
                                     num_warps=warps)


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
        grid = (triton.cdiv(p.n, self.block),)
        with on_stream(stream):
            if p.mask:
                mask = view(p.mask, (p.n,), (1,), None)
                _masked_add[grid](x, y, mask, out, p.n, BLOCK=self.block)
            else:
                _add[grid](x, y, out, p.n, BLOCK=self.block)


def works():
    """Empty, or why Triton cannot be used here (no C compiler for its launcher, say)."""
    try:
        one = torch.ones(8, device="cuda")
        out = torch.zeros_like(one)
        _add[(1,)](one, one, out, 8, BLOCK=16)
        return "" if bool((out == 2).all()) else "its first kernel gave wrong sums"
    except Exception as error:  # noqa: BLE001: any failure means that there is no such peer
        return f"{type(error).__name__}: {error}".splitlines()[0]
