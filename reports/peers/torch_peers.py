"""PyTorch as implementations of oddtile's table: SDPA by backend, eager attention, softmax, add.

Tensors are views of the harness's device memory (through __cuda_array_interface__, no copies), and
everything is enqueued on the stream that the harness passes.
"""
import contextlib

import torch
import torch.nn.functional as F

import abi

_TYPES = {abi.FP32: ("<f4", torch.float32, 4), abi.FP16: ("<f2", torch.float16, 2),
          abi.BF16: ("<i2", torch.bfloat16, 2)}  # the interface has no bfloat16: view the bits


class _Memory:
    def __init__(self, address, shape, strides, typestr):
        self.__cuda_array_interface__ = {"data": (address, False), "shape": shape,
                                         "strides": strides, "typestr": typestr, "version": 3}


_views = {}
_streams = {}


def view(address, shape, strides, dtype):
    """A tensor on existing device memory; strides in elements. dtype None: bytes."""
    key = (address, shape, strides, dtype)
    if key not in _views:
        typestr, wanted, size = ("|u1", torch.uint8, 1) if dtype is None else _TYPES[dtype]
        memory = _Memory(address, shape, tuple(size * s for s in strides), typestr)
        tensor = torch.as_tensor(memory, device="cuda")
        if tensor.data_ptr() != address:
            raise RuntimeError("PyTorch copied the memory instead of viewing it")
        _views[key] = tensor.view(wanted) if tensor.dtype != wanted else tensor
    return _views[key]


def forget_views():
    """Between points: addresses are reused for other shapes, and views keep nothing alive."""
    _views.clear()


@contextlib.contextmanager
def on_stream(address):
    if address not in _streams:
        _streams[address] = (torch.cuda.ExternalStream(address) if address
                             else torch.cuda.default_stream())
    with torch.cuda.stream(_streams[address]), torch.no_grad():
        yield


def matrix(p, address, row_stride):
    return view(address, (p.rows, p.columns), (row_stride, 1), p.dtype)


def attention_tensors(p):
    def one(t, heads, rows):
        return view(t.data, (p.batch, heads, rows, p.head_dim),
                    (t.batch_stride, t.head_stride, t.row_stride, 1), p.dtype)
    return (one(p.q, p.heads_q, p.seq_q), one(p.k, p.heads_kv, p.seq_k),
            one(p.v, p.heads_kv, p.seq_k), one(p.o, p.heads_q, p.seq_q))


def is_causal(p):
    return p.band_high == 0 and p.band_low == abi.UNBOUNDED_LOW


class TorchAttention(abi.Peer):
    """What all attention peers take: full or causal (square), no masks, no lengths, no LSE."""
    kernel = abi.ATTENTION
    returns_own_buffer = True

    def accepts(self, problem):
        p = problem.attention
        full = p.band_high == abi.UNBOUNDED_HIGH and p.band_low == abi.UNBOUNDED_LOW
        square = p.seq_q == p.seq_k  # both anchors mean the same then
        sizes = min(p.batch, p.heads_q, p.seq_q, p.seq_k) > 0
        return (sizes and not p.mask and not p.key_length and not p.lse and p.heads_q == p.heads_kv
                and (full or (is_causal(p) and square)))

    def launch(self, p, stream):
        q, k, v, self.target = attention_tensors(p)
        self.stream = stream
        with on_stream(stream):
            self.result = self.compute(p, q, k, v)

    def deliver(self):
        with on_stream(self.stream):
            self.target.copy_(self.result)
        self.result = None


class SdpaPeer(TorchAttention):
    """torch.nn.functional.scaled_dot_product_attention, held to one backend."""

    def __init__(self, backend):
        self.name = f"torch sdpa {backend}"
        self.backend = {"flash": "FLASH_ATTENTION", "cudnn": "CUDNN_ATTENTION"}[backend]
        super().__init__()

    def compute(self, p, q, k, v):
        from torch.nn.attention import SDPBackend, sdpa_kernel
        with sdpa_kernel([getattr(SDPBackend, self.backend)]):
            return F.scaled_dot_product_attention(q, k, v, is_causal=is_causal(p), scale=p.scale)


class EagerAttention(TorchAttention):
    """Three steps in PyTorch, scores and weights in the 16-bit type."""
    name = "torch eager"
    most_bytes = 40e9

    def accepts(self, problem):
        p = problem.attention
        scores = p.batch * p.heads_q * p.seq_q * p.seq_k * 2
        return 3 * scores < self.most_bytes and super().accepts(problem)

    def describe(self, profile, problem):
        super().describe(profile, problem)
        profile.weight_normalised = 1

    def compute(self, p, q, k, v):
        scores = torch.matmul(q, k.transpose(-1, -2)).mul_(p.scale)
        if is_causal(p):
            hidden = torch.ones(p.seq_q, p.seq_k, dtype=torch.bool, device=q.device).triu_(1)
            scores.masked_fill_(hidden, float("-inf"))
        return torch.matmul(torch.softmax(scores, dim=-1), v)


class TorchSoftmax(abi.Peer):
    name = "torch.softmax"
    kernel = abi.SOFTMAX

    def accepts(self, problem):
        p = problem.softmax
        return not p.mask and p.rows > 0 and p.columns > 0

    def launch(self, p, stream):
        x, y = matrix(p, p.x, p.x_row_stride), matrix(p, p.y, p.y_row_stride)
        with on_stream(stream):
            torch.softmax(x, -1, out=y)


class EagerSoftmax(TorchSoftmax):
    """Five operators: maximum, difference, exponential, sum, division."""
    name = "torch eager"

    def launch(self, p, stream):
        x, y = matrix(p, p.x, p.x_row_stride), matrix(p, p.y, p.y_row_stride)
        with on_stream(stream):
            top = x.amax(dim=-1, keepdim=True)
            weights = torch.exp(x - top)
            torch.div(weights, weights.sum(dim=-1, keepdim=True), out=y)


class TorchAdd(abi.Peer):
    """torch.add; with a mask torch.where over the sum, as eager code writes it."""
    name = "torch.add"
    kernel = abi.VECTOR_ADD

    def accepts(self, problem):
        return problem.vector_add.n > 0

    def describe(self, profile, problem):
        profile.name = self.name.encode()

    def launch(self, p, stream):
        x, y, out = (view(a, (p.n,), (1,), p.dtype) for a in (p.x, p.y, p.out))
        with on_stream(stream):
            if not p.mask:
                torch.add(x, y, out=out)
                return
            visible = view(p.mask, (p.n,), (1,), None).view(torch.bool)
            torch.where(visible, torch.add(x, y), out, out=out)
