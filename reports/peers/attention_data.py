"""Inputs and outputs of one attention point on the device, and their way to the judge. Needs
PyTorch."""
import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

import attention_points
from judging import Verdict, on_host
from our_launch import DTYPES, attention_problem
from torch_peers import SdpaPeer

import abi


class AttentionData:
    """N(0, 1) tensors of a point; `other`: data of the same shape whose inputs are shared."""

    def __init__(self, point, other=None):
        self.point = point
        self.dtype = DTYPES[point.dtype][1]
        if other is None:
            source = torch.Generator(device="cuda").manual_seed(point.seq + point.head_dim)
            queries = (point.batch, point.heads_q, point.seq, point.head_dim)
            keys = (point.batch, point.heads_kv, point.seq, point.head_dim)
            self.q, self.k, self.v = (
                torch.randn(shape, generator=source, device="cuda", dtype=self.dtype)
                for shape in (queries, keys, keys))
        else:
            self.q, self.k, self.v = other.q, other.k, other.v
        self.key_length = None
        if point.lengths is not None:
            self.key_length = torch.tensor(point.lengths, dtype=torch.int32, device="cuda")

    def outputs(self):
        return (torch.empty_like(self.q),
                torch.empty(self.q.shape[:3], dtype=torch.float32, device="cuda"))

    def problem(self, o, lse, point=None):
        """`point`: another problem on the same inputs, its keys not limited by lengths."""
        lengths = self.key_length if point is None else None
        return attention_problem(point or self.point, self.q, self.k, self.v, o, lse, lengths)

    def _keys(self, item):
        return self.point.seq if self.point.lengths is None else self.point.lengths[item]

    def edges(self, judge):
        """Futures of one head's data that show every edge key, by number of keys."""
        row = (1, 1, self.point.seq, self.point.head_dim)
        found = {}
        for keys in set(self.point.lengths or (self.point.seq,)):
            shapes = [row, (1, 1, keys, self.point.head_dim), (1, 1, keys, self.point.head_dim)]
            found[keys] = judge.made(self.point.item_case(keys, 1, edges=True), shapes, self.dtype)
        return found

    def fill(self, edges):
        """Every head becomes that of edges(); a wrong head map shows in the random data."""
        for item in range(self.point.batch):
            keys = self._keys(item)
            q, k, v = (t.to("cuda") for t in edges[keys].result())
            self.q[item] = q[0]
            self.k[item, :, :keys] = k[0]
            self.v[item, :, :keys] = v[0]

    def submit(self, judge, variant, ours, edges=False):
        """A Verdict of the variant's outputs as they are now, on sampled heads; ours with LSE."""
        group = self.point.heads_q // self.point.heads_kv
        futures = []
        for item, head in attention_points.judged_items(self.point):
            keys = self._keys(item)
            tensors = [self.q[item, head], self.k[item, head // group, :keys],
                       self.v[item, head // group, :keys], variant.o[item, head]]
            if ours:
                tensors.append(variant.lse[item, head])
            case = self.point.item_case(keys, int(ours), edges)
            profile = variant.profile if ours else self._peer_profile()
            futures.append(judge.submit(case, profile, [on_host(t) for t in tensors]))
        return Verdict(futures)

    def _peer_profile(self):
        """What torch_peers.py assumes of a peer's arithmetic."""
        profile = abi.Profile()
        problem = abi.Problem(kernel=abi.ATTENTION)
        problem.attention.dtype = DTYPES[self.point.dtype][0]
        SdpaPeer("cudnn").describe(profile, problem)
        return profile


class SdpaLaunch:
    """PyTorch's scaled_dot_product_attention, held to one backend; `o` is its last output."""
    _BACKENDS = {"cudnn": SDPBackend.CUDNN_ATTENTION, "flash": SDPBackend.FLASH_ATTENTION}

    def __init__(self, backend, data):
        self.name = f"torch sdpa {backend}"
        self._backend = self._BACKENDS[backend]
        self._inputs = data.q, data.k, data.v
        point = data.point
        self._options = {"is_causal": point.mask == "causal", "scale": point.scale,
                         "enable_gqa": point.heads_q != point.heads_kv}
        self.o = None

    def held(self):
        return sdpa_kernel([self._backend])

    def launch(self):
        self.o = F.scaled_dot_product_attention(*self._inputs, **self._options)
