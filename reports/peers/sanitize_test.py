"""sanitize_test.py: what compute-sanitizer prints is read as it is meant; no summary is no pass."""
import os
import stat
import tempfile

import sanitize

RACES = """========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at void oddtile::attend<oddtile::T<64>>(p)+0x1d0
=========     and Read access at void oddtile::cuda::attend<oddtile::T<64>>(p)+0x2f0 [12 hazards]
========= Error: Race reported between Read access at void oddtile::attend<oddtile::T<64>>(p)+0x9
========= RACECHECK SUMMARY: 2 hazards displayed (2 errors, 0 warnings)
property: 3 cases, 18917 elements judged, 0 outside
"""
INVALID = """========= Invalid __global__ read of size 4 bytes
=========     at void oddtile::cuda::(anonymous namespace)::add<float>(const float *, long)+0x70
=========     by thread (31,0,0) in block (0,0,0)
=========     Address 0x7f12 is out of bounds
========= ERROR SUMMARY: 1 error
"""
CLEAN = "========= ERROR SUMMARY: 0 errors\n  y    99 judged, 0 not judged, 0 failed\n"


def test_counts():
    assert sanitize.found(CLEAN) == 0 and sanitize.found(RACES) == 2
    assert sanitize.found(INVALID) == 1 and sanitize.found("killed") is None
    assert sanitize.judged(CLEAN) == 99 and sanitize.judged(RACES) == 18917
    assert sanitize.judged(INVALID) == 0


def test_kinds():
    races = sanitize.kinds(RACES)
    assert sum(races.values()) == 2 and {kernel for kernel, _ in races} == {"attend"}, races
    (kernel, message), = sanitize.kinds(INVALID)
    assert kernel == "add" and message == "Invalid __global__ read of size _ bytes", message


def line_of(body):
    """What run() says of a sanitizer that prints `body`."""
    with tempfile.TemporaryDirectory() as folder:
        stand_in = os.path.join(folder, "compute-sanitizer")
        with open(stand_in, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\ncat <<'END'\n{body}END\n")
        os.chmod(stand_in, stat.S_IRWXU)
        before = os.environ["PATH"]
        os.environ["PATH"] = folder + os.pathsep + before
        try:
            return sanitize.run(sanitize.parse([folder]), "memcheck", "softmax")
        finally:
            os.environ["PATH"] = before


def test_findings():
    assert line_of(CLEAN)[1] is False, line_of(CLEAN)
    assert line_of(RACES)[1] and "in attend" in line_of(RACES)[0]
    for body in (INVALID, "99 judged\n", "========= ERROR SUMMARY: 0 errors\n"):
        assert line_of(body)[1], body


def main():
    tests = [test for name, test in sorted(globals().items()) if name.startswith("test_")]
    assert len(tests) >= 3, tests
    for test in tests:
        test()
    print(f"sanitize: {len(tests)} tests passed")


main()
