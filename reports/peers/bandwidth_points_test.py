"""bandwidth_points_test.py: bytes agree with counting sectors; points are those promised."""
import bandwidth_points as points


def counted(rows, columns, stride, size):
    """Every byte on its own: sectors that hold data, and those of them that hold a gap as well."""
    data, gaps = set(), set()
    for row in range(rows):
        for byte in range(row * stride * size, (row * stride + columns) * size):
            data.add(byte // 32)
        if row + 1 < rows:
            for byte in range((row * stride + columns) * size, (row + 1) * stride * size):
                gaps.add(byte // 32)
    return len(data), len(data) + len(data & gaps)


def test_strided_sectors():
    for size in (2, 4):
        for columns in (1, 3, 8, 15, 16, 17, 33, 64, 100):
            for pad in (0, 1, 2, 16, 40):
                for rows in (1, 2, 5, 16, 33, 70):
                    shape = rows, columns, columns + pad, size
                    assert points.strided_sectors(*shape) == counted(*shape), shape


def test_bytes():
    dense = points.SoftmaxPoint("bf16", 10, 64)
    assert dense.moved() == 2 * 10 * 64 * 2
    strided = points.SoftmaxPoint("bf16", 100, 128, "strided")
    read, written = counted(100, 128, 129, 2)
    assert strided.moved() == 32 * (read + written)
    masked = points.SoftmaxPoint("fp32", 10, 64, "sparse")
    assert masked.moved(visible_sectors=50) == 640 + 32 * 50 + 640 * 4
    add = points.AddPoint("fp32", 1000)
    assert add.moved() == 12000
    half = points.AddPoint("fp32", 800, mask="half")  # 100 sectors: 90 seen, 20 of them whole
    assert half.moved(90, 20) == 800 + 32 * (90 + 90 + 20 + 2 * 70)
    assert points.AddPoint("bf16", 800, mask="nothing").moved(0, 0) == 800


def test_points():
    dense = list(points.softmax_points("fp32", ("dense",)))
    assert len(dense) == 25 and dense[-1].columns == 1 << 20 and dense[-1].rows == 128
    assert all(2 * p.rows * p.columns * 4 <= 1 << 30 for p in dense)
    assert all(2 * p.rows * p.columns * 4 > 0.99 * (1 << 30) for p in dense)
    everything = [p for dtype in points.BYTES for p in points.softmax_points(dtype, points.KINDS)]
    everything += [p for dtype in points.BYTES for p in points.add_points(dtype, points.KINDS)]
    assert len({(p.series, p.size) for p in everything}) == len(everything)
    small = points.SoftmaxPoint("bf16", 132, 512, "small")
    assert (small.clock, small.size) == ("replayed", 132)
    huge = [p for p in everything if p.size > 1 << 31 or
            (p.kernel == "softmax" and p.rows * p.columns > 1 << 31)]
    assert len(huge) == 6, huge
    clocks = [points.AddPoint("fp32", n).clock for n in points.LENGTHS]
    assert clocks == ["replayed"] * 2 + ["cold"] * 3 + ["streamed"] * 2


def test_texts():
    strided = points.SoftmaxPoint("bf16", 7, 128, "strided")
    assert strided.case().endswith("values=noise seed=1 x_pad=1 y_pad=1")
    assert strided.series == "softmax bf16, strided" and strided.mask is None
    masked = points.SoftmaxPoint("bf16", 7, 128, "dense mask")
    assert "mask=dense" in masked.sample_case(3) and "rows=3" in masked.sample_case(3)
    add = points.AddPoint("bf16", 100, (1, 0, 3), "runs")
    assert add.series == "vector_add bf16 mask runs, offsets 1 0 3, replayed"
    assert points.AddPoint("bf16", 1 << 24).series == "vector_add bf16"
    assert add.case().endswith("x_offset=1 out_offset=3") and "mask=runs" in add.case()


def test_shares():
    everything = list(range(10))
    shares = [points.share_of(everything, f"{i}/3") for i in range(3)]
    assert sorted(sum(shares, [])) == everything and max(map(len, shares)) == 4, shares
    for wrong in ("3/3", "-1/3", "0/0", "x", "1", "1/2/3"):
        try:
            points.share_of(everything, wrong)
        except SystemExit as error:
            assert wrong in str(error), error
        else:
            raise AssertionError(f"{wrong} is a share")


def main():
    tests = [test for name, test in sorted(globals().items()) if name.startswith("test_")]
    assert len(tests) >= 4, tests
    for test in tests:
        test()
    print(f"bandwidth points: {len(tests)} tests passed")


main()
