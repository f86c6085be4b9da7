"""alone_test.py: of launches that share an output each is judged for what it wrote itself."""
import contextlib

from alone import each_alone

POISON = float("nan")


class Launch:
    """Writes `values` to the output that all share."""

    def __init__(self, name, output, values):
        self.name, self._output, self._values = name, output, values
        self.is_held = False

    @contextlib.contextmanager
    def held(self):
        self.is_held = True
        yield
        self.is_held = False

    def launch(self):
        assert self.is_held, "launched outside its context"
        self._output[:len(self._values)] = self._values


def test_each_is_judged_for_its_own_output():
    output = [0] * 4
    right, wrong, short = [1, 2, 3, 4], [1, 2, 3, 5], [1, 2, 3]
    launches = [Launch("right", output, right), Launch("wrong", output, wrong),
                Launch("writes too little", output, short), Launch("nothing", output, []),
                Launch("right again", output, right)]

    def prepare():
        output[:] = [POISON] * 4
    verdicts = each_alone(launches, prepare, lambda: None, lambda launch: output == right)
    assert verdicts == {"right": True, "wrong": False, "writes too little": False,
                        "nothing": False, "right again": True}, verdicts


def test_order():
    """Judged when it has ended, and before the next output is prepared."""
    said = []
    launches = [Launch("a", [], []), Launch("b", [], [])]
    each_alone(launches, lambda: said.append("prepare"), lambda: said.append("wait"),
               lambda launch: said.append(launch.name))
    assert said == ["prepare", "wait", "a", "prepare", "wait", "b"], said


def main():
    tests = [test for name, test in sorted(globals().items()) if name.startswith("test_")]
    assert len(tests) == 2, tests
    for test in tests:
        test()
    print(f"alone: {len(tests)} tests passed")


main()
