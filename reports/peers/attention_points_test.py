"""attention_points_test.py: the points are those promised; amounts agree with counting."""
import dataclasses

import attention_points as points


def counted(point, tile_rows, tile_columns):
    """Visible pairs and visible tiles, by looking at every pair."""
    pairs, tiles = 0, set()
    for item, keys in enumerate(point.lengths or (point.seq,) * point.batch):
        for row in range(point.seq):
            for key in range(keys):
                above = point.band_low is None or key - row >= point.band_low
                if above and (point.band_high is None or key - row <= point.band_high):
                    pairs += 1
                    tiles.add((item, row // tile_rows, key // tile_columns))
    return pairs, len(tiles)


def test_amounts_by_counting():
    small = points.AttentionPoint("bf16", 2, 6, 2, 37, 64)
    shapes = [small, dataclasses.replace(small, band_high=0),
              dataclasses.replace(small, band_low=-6, band_high=0),
              dataclasses.replace(small, band_low=3, band_high=20),
              dataclasses.replace(small, lengths=(5, 37)),
              dataclasses.replace(small, lengths=(0, 16), band_high=0)]
    for point in shapes:
        for rows, columns in ((8, 16), (16, 5), (64, 64)):
            pairs, tiles = counted(point, rows, columns)
            assert point.flops() == 4 * 64 * 6 * pairs, point
            assert point.tile_flops(rows, columns) == 4 * 64 * 6 * tiles * rows * columns, (
                point, rows, columns)
    q_and_o, k_and_v, lse = 2 * 2 * 6 * 37, 2 * 2 * 2 * 37, 2 * 6 * 37
    assert small.bytes() == 2 * 64 * (q_and_o + k_and_v) + 4 * lse


def test_the_sweep():
    swept = list(points.sweep("bf16"))
    assert len(swept) == 42 and len(set(swept)) == 42
    assert all(p.heads_q * p.head_dim == 2048 for p in swept)
    assert all(p.batch * p.seq == 16384 or (p.seq, p.batch) == (32768, 1) for p in swept)
    assert sum(p.mask == "causal" for p in swept) == 21
    assert {p.series for p in swept} == {f"attention bf16 d{d} {m}" for d in (64, 128, 256)
                                         for m in ("full", "causal")}
    grouped = list(points.grouped("fp16"))
    assert len(grouped) == 10 and grouped[0].series == "attention fp16 d128 64/8 full"
    partial = list(points.partial("bf16"))
    assert [p.mask for p, _ in partial] == ["window", "lengths"] * 3
    for point, full in partial:
        assert full.mask == "full" and (full.batch, full.seq) == (point.batch, point.seq)
        assert point.flops() < full.flops()
    window = partial[0][0]
    assert window.keys_of_rows(5000, 5000, window.seq) == (5000 - 1023, 5000)


def test_texts():
    window = points.square("bf16", 64, 4096, band_low=-3, band_high=0)
    assert " scale=0.125 band_low=-3 band_high=0 lse=1 " in window.case(1), window.case(1)
    assert points.square("bf16", 128, 512).scale == 0.0883883461356163
    assert "batch=1 heads_kv=1 group=1 seq_q=4096 seq_k=99" in window.item_case(99, 0)
    assert "scores=ties contents=coded" in window.item_case(99, 1, edges=True)


def test_judged_items():
    point = points.square("bf16", 64, 4096, lengths=(7, 4096, 1, 9))
    items = points.judged_items(point)
    assert (0, 0) in items and (3, 31) in items and (2, 1) in items and (1, 30) in items, items
    assert points.judged_items(points.AttentionPoint("bf16", 1, 1, 1, 8, 64)) == [(0, 0)]


def main():
    tests = [test for name, test in sorted(globals().items()) if name.startswith("test_")]
    assert len(tests) >= 4, tests
    for test in tests:
        test()
    print(f"attention points: {len(tests)} tests passed")


main()
