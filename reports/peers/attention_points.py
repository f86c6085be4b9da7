"""The attention problems that are compared with other libraries, as values. No packages needed.

Shapes follow the field's convention, batch * sequence = 16k tokens and heads * head_dim = 2048, and
one grouped-query model: batch 1, 64 query heads on 8 key heads of 128.
"""
import random
import struct
from dataclasses import dataclass

TOKENS, WIDTH = 16384, 2048
HEAD_DIMS = (64, 128, 256)
SIZES = (512, 1024, 2048, 4096, 8192, 16384, 32768)
GROUPED_SIZES = (2048, 4096, 8192, 16384, 32768)
WINDOW, WINDOW_SIZE = 1024, 16384
LENGTH_SIZE = 4096


@dataclass(frozen=True)
class AttentionPoint:
    dtype: str
    batch: int
    heads_q: int
    heads_kv: int
    seq: int  # queries and keys
    head_dim: int
    band_low: int | None = None  # None: unbounded; key - query, anchored top-left
    band_high: int | None = None
    lengths: tuple | None = None  # keys of each batch item

    @property
    def mask(self):
        if self.lengths is not None:
            return "lengths"
        if self.band_low is not None:
            return "window"
        return "full" if self.band_high is None else "causal"

    @property
    def scale(self):
        """1 / sqrt(head_dim), as the nearest number of single precision."""
        return struct.unpack("f", struct.pack("f", self.head_dim**-0.5))[0]

    @property
    def series(self):
        group = "" if self.heads_q == self.heads_kv else f" {self.heads_q}/{self.heads_kv}"
        return f"attention {self.dtype} d{self.head_dim}{group} {self.mask}"

    def keys_of_rows(self, first, last, keys):
        """First and last key (inclusive) that some query of first..last sees, of `keys` keys."""
        low = 0 if self.band_low is None else max(0, first + self.band_low)
        high = keys - 1 if self.band_high is None else min(keys - 1, last + self.band_high)
        return low, high

    def visible_pairs(self):
        """(query, key) pairs of one head, all batch items together."""
        total = 0
        for keys in self.lengths or (self.seq,) * self.batch:
            for row in range(self.seq):
                low, high = self.keys_of_rows(row, row, keys)
                total += max(0, high - low + 1)
        return total

    def flops(self):
        return 4 * self.head_dim * self.heads_q * self.visible_pairs()

    def tile_flops(self, tile_rows, tile_columns):
        """Operations of all (query tile, key tile) pairs that hold a visible pair: what a kernel
        computes that skips whole tiles and nothing less."""
        pairs = 0
        for keys in self.lengths or (self.seq,) * self.batch:
            for first in range(0, self.seq, tile_rows):
                last = min(first + tile_rows, self.seq) - 1
                low, high = self.keys_of_rows(first, last, keys)
                if high >= low:
                    pairs += high // tile_columns - low // tile_columns + 1
        return 4 * self.head_dim * self.heads_q * pairs * tile_rows * tile_columns

    def bytes(self):
        """q and o, k and v once each, and the LSE."""
        rows = self.batch * self.heads_q * self.seq
        keys = self.heads_kv * sum(self.lengths or (self.seq,) * self.batch)
        return 2 * self.head_dim * (2 * rows + 2 * keys) + 4 * rows

    def case(self, lse=1):
        """Text of the whole problem; oddtile draws lengths of its own from the seed."""
        lengths = "" if self.lengths is None else " lengths=random"
        return (f"attention dtype={self.dtype} batch={self.batch} heads_kv={self.heads_kv} "
                f"group={self.heads_q // self.heads_kv} seq_q={self.seq} seq_k={self.seq} "
                f"head_dim={self.head_dim} scale={self.scale:.9g}{self._band()}{lengths} "
                f"lse={lse} scores=noise contents=noise seed=1")

    def item_case(self, keys, lse, edges=False):
        """Text of one head of one batch item, which has `keys` keys: what is judged."""
        data = "scores=ties contents=coded seed=2" if edges else "scores=noise contents=noise"
        return (f"attention dtype={self.dtype} batch=1 heads_kv=1 group=1 seq_q={self.seq} "
                f"seq_k={keys} head_dim={self.head_dim} scale={self.scale:.9g}{self._band()} "
                f"lse={lse} {data}")

    def _band(self):
        return "".join(f" {name}={value}" for name, value in
                       (("band_low", self.band_low), ("band_high", self.band_high))
                       if value is not None)


def square(dtype, head_dim, seq, **more):
    heads = WIDTH // head_dim
    return AttentionPoint(dtype, max(1, TOKENS // seq), heads, heads, seq, head_dim, **more)


def sweep(dtype):
    for head_dim in HEAD_DIMS:
        for high in (None, 0):
            for seq in SIZES:
                yield square(dtype, head_dim, seq, band_high=high)


def grouped(dtype):
    for high in (None, 0):
        for seq in GROUPED_SIZES:
            yield AttentionPoint(dtype, 1, 64, 8, seq, 128, band_high=high)


def partial(dtype):
    """Pairs: a point with a window or random key lengths, the full problem of the same shape."""
    for head_dim in HEAD_DIMS:
        yield (square(dtype, head_dim, WINDOW_SIZE, band_low=1 - WINDOW, band_high=0),
               square(dtype, head_dim, WINDOW_SIZE))
        full = square(dtype, head_dim, LENGTH_SIZE)
        draw = random.Random(head_dim)
        lengths = tuple(draw.randint(1, full.seq) for _ in range(full.batch))
        yield square(dtype, head_dim, LENGTH_SIZE, lengths=lengths), full


def judged_items(point):
    """(batch item, query head) pairs to judge: first, last, one between; with lengths the shortest
    and the longest item."""
    pairs = {(0, 0), (point.batch - 1, point.heads_q - 1)}
    pairs.add((point.batch // 2, point.heads_q // 3))
    if point.lengths is not None:
        order = sorted(range(point.batch), key=lambda item: point.lengths[item])
        pairs |= {(order[0], 1), (order[-1], point.heads_q - 2)}
    return sorted(pairs)
