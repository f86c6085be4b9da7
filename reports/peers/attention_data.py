"""Inputs and outputs of one attention point on the device, and their way to the judge. Needs
PyTorch."""
import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

import abi
import attention_points
from judging import Verdict, on_host
from our_launch import DTYPES, attention_problem
from torch_peers import SdpaPeer


class AttentionData:
    """N(0, 1) tensors of a point."""

    def __init__(self, point):
        self.point = point
        self.dtype = DTYPES[point.dtype][1]
        source = torch.Generator(device="cuda").manual_seed(point.seq + point.head_dim)
        queries = (point.batch, point.heads_q, point.seq, point.head_dim)
        keys = (point.batch, point.heads_kv, point.seq, point.head_dim)
        self.q, self.k, self.v = (
            torch.randn(shape, generator=source, device="cuda", dtype=self.dtype)
            for shape in (queries, keys, keys))
        self.key_length = None
        if point.lengths is not None:
            self.key_length = torch.tensor(point.lengths, dtype=torch.int32, device="cuda")

    def problem(self, other=None):
        """The C problem and outputs of its own, (o, lse); `other`: another problem on the same
        inputs, its keys not limited by lengths."""
        o = torch.empty_like(self.q)
        lse = torch.empty(self.q.shape[:3], dtype=torch.float32, device="cuda")
        lengths = self.key_length if other is None else None
        problem = attention_problem(other or self.point, self.q, self.k, self.v, o, lse, lengths)
        return problem, (o, lse)

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

    def submit(self, judge, variant, edges=False):
        """A Verdict of the variant's outputs as they are now, on sampled heads. `variant.tensors`:
        (o, lse) of ours and of whatever has a profile, (o,) of peers."""
        group = self.point.heads_q // self.point.heads_kv
        outputs = variant.tensors
        profile = getattr(variant, "profile", None) or self._peer_profile()
        futures = []
        for item, head in attention_points.judged_items(self.point):
            keys = self._keys(item)
            tensors = [self.q[item, head], self.k[item, head // group, :keys],
                       self.v[item, head // group, :keys], *(t[item, head] for t in outputs)]
            case = self.point.item_case(keys, len(outputs) - 1, edges)
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
    """PyTorch's scaled_dot_product_attention, held to one backend; `tensors` holds its
    last output, which belongs to PyTorch."""
    _BACKENDS = {"cudnn": SDPBackend.CUDNN_ATTENTION, "flash": SDPBackend.FLASH_ATTENTION}

    def __init__(self, backend, data):
        self.name = f"torch sdpa {backend}"
        self._backend = self._BACKENDS[backend]
        self._inputs = data.q, data.k, data.v
        point = data.point
        self._options = {"is_causal": point.mask == "causal", "scale": point.scale,
                         "enable_gqa": point.heads_q != point.heads_kv}
        self.tensors = ()

    def configuration_name(self):
        return ""

    def held(self):
        return sdpa_kernel([self._backend])

    def launch(self):
        self.tensors = (F.scaled_dot_product_attention(*self._inputs, **self._options),)
