"""An experimental bf16 forward library for Hopper (one C function per configuration, run_<name>),
timed beside ours in the same process where its path is given. Needs PyTorch.

It knows full and causal attention of head sizes 64, 128 and 256 and nothing else; which of its
configurations stands for which problem is the rule that its own measurements ended with.
"""
import contextlib
import ctypes as c

import torch


def configuration(point):
    """(function, scheduling section in heads) for a point, or None."""
    if point.dtype != "bf16" or point.mask not in ("full", "causal"):
        return None
    causal = point.mask == "causal"
    grouped = point.heads_q != point.heads_kv
    if point.head_dim == 64:
        if not causal:
            return "n64_ppm3cr2", 0
        return ("c64_128pp", 16) if point.seq < 2048 else ("c64_m3cr2skip", 64)
    section = 64 if grouped else 16
    if point.head_dim == 128:
        if not causal:
            return "n128_r192m3cr2", 0
        return ("c128_e1nopp" if point.seq < 8192 else "c128_r192m3cr2"), section
    if point.head_dim == 256:
        return ("c256_skip64cr2", section) if causal else ("n256_64cr2", 0)
    return None


class ProbeLaunch:
    name = "probe"

    def __init__(self, library, point, q, k, v):
        function, section = configuration(point)
        self.configuration = function
        o = torch.empty_like(q)
        lse = torch.empty(q.shape[:3], dtype=torch.float32, device="cuda")
        self.tensors = (o, lse)
        self._tiles = torch.zeros(16, dtype=torch.int32, device="cuda")  # its tile counter
        self._keep = (q, k, v)
        self._call = getattr(library, "run_" + function)
        self._call.restype = c.c_int
        pointers = [c.c_void_p(t.data_ptr()) for t in (q, k, v, o, lse)]
        sizes = [point.batch, point.heads_q, point.heads_kv, point.seq, point.seq, 0]
        order = [1, section] if section else [0, 1]
        self._arguments = [*pointers, *sizes, c.c_float(point.scale), *order, 0,
                           c.c_void_p(self._tiles.data_ptr()), 0, c.c_void_p(0)]

    def configuration_name(self):
        return self.configuration

    def held(self):
        return contextlib.nullcontext()

    def launch(self):
        code = self._call(*self._arguments,
                          c.c_void_p(torch.cuda.current_stream().cuda_stream))
        if code:
            raise RuntimeError(f"probe: {self.configuration} returned {code}")
