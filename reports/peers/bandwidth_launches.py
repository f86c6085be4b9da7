"""PyTorch, torch.compile, Triton and a device copy on the data of one softmax or vector add, as
clock.py wants them. Needs PyTorch and Triton.
"""
import contextlib

import torch

import triton_peers
from our_launch import DTYPES, OurLaunch


class Call:
    """A peer that is one call."""

    def __init__(self, name, launch):
        self.name, self.launch = name, launch

    def held(self):
        return torch.no_grad()

    def configuration_name(self):
        return ""


def copy_launch(point, data, moved):
    """A device-to-device copy that moves as many bytes: what a kernel can hope for. From x to y
    where those are as many."""
    if point.kernel == "softmax" and point.kind in ("dense", "small"):
        source, target = data.x, data.y
    else:
        elements = max(1, moved // (2 * data.x.element_size()))
        source = torch.empty(elements, dtype=data.dtype, device="cuda").normal_()
        target = torch.empty_like(source)
    return Call("copy", lambda: target.copy_(source))


def best_copy(copies, problem, tensors):
    """A copy of a softmax's rows that knows their gaps or mask."""
    launch = OurLaunch(copies, problem, tensors)
    launch.name = launch.configuration_name()
    return launch


# For the shape alone, which is what a user has who calls it with one shape. Inductor writes the
# softmax itself to y: there is no copy.
@torch.compile(dynamic=False)
def _compiled_softmax(x, y):
    y.copy_(torch.softmax(x, -1))


def softmax_launches(point, data, compiled):
    """data: SoftmaxData. All write to its output, but for torch.softmax where that has a stride: it
    gets a dense one of its own, which is less work."""
    x, y, mask = data.x, data.y, data.mask
    rows, columns = x.shape
    if mask is not None:
        hidden = mask == 0
        launches = [Call("torch", lambda: torch.softmax(x.masked_fill(hidden, -torch.inf), -1,
                                                        out=y))]
    elif point.kind == "strided":
        launches = [Call("torch", lambda: torch.softmax(x, -1))]
    elif point.kind == "in place":
        launches = [Call("torch", lambda: torch.softmax(y, -1, out=y))]
    else:
        launches = [Call("torch", lambda: torch.softmax(x, -1, out=y))]
    if compiled and mask is None and point.kind in ("dense", "small"):
        launches.append(Call("torch.compile", lambda: _compiled_softmax(x, y)))
    if columns <= triton_peers.TritonSoftmax.most_columns:
        source = y if point.kind == "in place" else x
        launches.append(Call("triton", lambda: triton_peers.launch_softmax(source, y, mask)))
    return launches


def add_launches(point, data):
    """data: AddData."""
    x, y, out, mask = data.x, data.y, data.out, data.mask
    if mask is not None:
        visible = mask != 0
        return [Call("torch.where", lambda: torch.where(visible, torch.add(x, y), out, out=out)),
                Call("triton", lambda: triton_peers.launch_add(x, y, out, mask, 2048, 8))]
    return [Call("torch.add", lambda: torch.add(x, y, out=out)),
            Call("triton", lambda: triton_peers.launch_add(x, y, out, None, 1024, 4)),
            Call("triton 4096", lambda: triton_peers.launch_add(x, y, out, None, 4096, 8))]


def compile_for(point):
    """torch.compile's softmax for the shape of a point; fills its cache on disk."""
    dtype = DTYPES[point.dtype][1]
    x, y = (torch.zeros(point.rows, point.columns, dtype=dtype, device="cuda") for _ in range(2))
    with torch.no_grad():
        _compiled_softmax(x, y)


@contextlib.contextmanager
def compiling():
    """torch.compile keeps a version for each shape; beyond its limit of 8 it would go eager. No
    processes of its own: where it matters many of this program compile (--warm)."""
    import torch._dynamo.config as dynamo
    import torch._inductor.config as inductor
    many = dynamo.patch(recompile_limit=4096, accumulated_recompile_limit=4096)
    with many, inductor.patch(compile_threads=1):
        yield
