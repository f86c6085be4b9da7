"""One problem of oddtile's C table on PyTorch's tensors, ready to be launched. Needs PyTorch."""
import contextlib
import ctypes as c

import torch

import abi

DTYPES = {"fp32": (abi.FP32, torch.float32), "fp16": (abi.FP16, torch.float16),
          "bf16": (abi.BF16, torch.bfloat16)}


class NotOffered(RuntimeError):
    """The implementation has no such configuration for this problem."""


class OurLaunch:
    """`name`, `launch()` and `held()` as clock.py wants them; `profile` as the judge does.

    problem: abi.Problem whose outputs are `tensors`; what else it points to the caller keeps alive.
    configuration: an id, or None for the implementation's own choice.
    """

    def __init__(self, table, problem, tensors, name="fused", configuration=None):
        self.name = name
        self._problem, self.tensors = problem, tensors
        ids = abi.admissible(table, problem)
        if not ids or configuration not in (None, *ids):
            raise NotOffered(f"{name}: configuration {configuration} of {ids}")
        self.configuration = ids[0] if configuration is None else configuration
        self.profile = abi.Profile()
        if table.describe(c.byref(problem), self.configuration, c.byref(self.profile)) != abi.OK:
            raise NotOffered(f"{name}: configuration {self.configuration} is not described")
        size = max(0, table.workspace_bytes(c.byref(problem), self.configuration))
        self._workspace = torch.empty(size, dtype=torch.uint8, device="cuda")
        self._address = self._workspace.data_ptr() if size else None
        kernel = {abi.VECTOR_ADD: "vector_add", abi.SOFTMAX: "softmax",
                  abi.ATTENTION: "attention"}[problem.kernel]
        self._call = getattr(table, kernel)
        self._subject = c.byref(getattr(problem, kernel))
        self._text = table.status_text

    def held(self):
        return contextlib.nullcontext()

    def launch(self):
        status = self._call(self._subject, self.configuration, self._address,
                            torch.cuda.current_stream().cuda_stream)
        if status != abi.OK:
            raise RuntimeError(f"{self.name}: {c.string_at(self._text(status)).decode()}")

    def configuration_name(self):
        return self.profile.name.decode()


def attention_problem(point, q, k, v, o, lse, key_length=None):
    """q, o: (batch, heads_q, seq, head_dim); k, v: with heads_kv; lse: (batch, heads_q, seq)."""
    problem = abi.Problem(kernel=abi.ATTENTION)
    p = problem.attention
    p.dtype = DTYPES[point.dtype][0]
    p.batch, p.heads_q, p.heads_kv = point.batch, point.heads_q, point.heads_kv
    p.seq_q = p.seq_k = point.seq
    p.head_dim, p.scale = point.head_dim, point.scale
    for field, tensor in (("q", q), ("k", k), ("v", v), ("o", o)):
        setattr(p, field, abi.Tensor(tensor.data_ptr(), *tensor.stride()[:3]))
    p.lse = lse.data_ptr()
    p.lse_batch_stride, p.lse_head_stride, p.lse_row_stride = lse.stride()
    p.key_length = None if key_length is None else key_length.data_ptr()
    p.band_low = abi.UNBOUNDED_LOW if point.band_low is None else point.band_low
    p.band_high = abi.UNBOUNDED_HIGH if point.band_high is None else point.band_high
    p.anchor = abi.TOP_LEFT
    return problem


def softmax_problem(dtype, x, y, mask=None):
    """x, y: matrices with dense rows; mask: bytes, or None."""
    problem = abi.Problem(kernel=abi.SOFTMAX)
    p = problem.softmax
    p.dtype, (p.rows, p.columns) = DTYPES[dtype][0], x.shape
    p.x, p.x_row_stride = x.data_ptr(), x.stride(0)
    p.y, p.y_row_stride = y.data_ptr(), y.stride(0)
    if mask is not None:
        p.mask, p.mask_row_stride = mask.data_ptr(), mask.stride(0)
    return problem


def vector_add_problem(dtype, x, y, out, mask=None):
    problem = abi.Problem(kernel=abi.VECTOR_ADD)
    p = problem.vector_add
    p.dtype, p.n = DTYPES[dtype][0], x.numel()
    p.x, p.y, p.out = x.data_ptr(), y.data_ptr(), out.data_ptr()
    p.mask = None if mask is None else mask.data_ptr()
    return problem
