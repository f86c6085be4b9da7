#!/usr/bin/env python3
"""Puts known bugs back into the kernels, one at a time, and records which check catches each.

    score.py --check-text                 every old text matches exactly once (ctest mutants.text)
    score.py [--only NAME ...]            build and run; writes results.md into the build folder
    score.py --list                       names, classes and promises

The tree is copied once to <build>/tree and built for the simulator alone, so the checkout is never
touched. Exit code 0: as expected; 1: a mutant survives that survivors.txt does not name, or one
that it names is caught; 2: wrong use or a malformed file; 3: the tree does not build or pass
unmutated.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
KERNELS = ("vector_add", "softmax", "attention")
HANG = "hang"  # stands for an exit code
FIELDS = ("class", "promise", "file", "kernel", "suite")


class Malformed(Exception):
    pass


def read_classes():
    """number -> name of every bug class"""
    lines = (HERE / "classes.txt").read_text().splitlines()
    pairs = (line.split(" ", 1) for line in lines if line[:1].isdigit())
    return {int(number): name for number, name in pairs}


CLASSES = read_classes()


class Mutant:
    """One entry of a .mutants file; README.md describes the format."""

    def __init__(self, name, origin):
        self.name = name
        self.origin = origin
        self.fields = {}
        self.old = None
        self.new = None

    def check_fields(self):
        for field in FIELDS:
            if field not in self.fields and field != "suite":
                raise Malformed(f"{self.origin}: {self.name}: no '{field}'")
        if self.old is None or self.new is None:
            raise Malformed(f"{self.origin}: {self.name}: no old and new text")
        if self.kernel not in KERNELS:
            raise Malformed(f"{self.origin}: {self.name}: unknown kernel '{self.kernel}'")
        for number in self.classes:
            if number not in CLASSES:
                raise Malformed(f"{self.origin}: {self.name}: no bug class {number}")

    @property
    def kernel(self):
        return self.fields["kernel"]

    @property
    def suite(self):
        """The suite that must catch it: the kernel's own, unless the entry names another."""
        return self.fields.get("suite", self.kernel)

    @property
    def classes(self):
        return [int(number) for number in self.fields["class"].split()]

    def matches(self, root):
        path = root / self.fields["file"]
        if not path.is_file():
            return -1
        return path.read_text().count(self.old)


def parse(path):
    mutants, current, part, text = [], None, None, []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        origin = f"{path.name}:{number}"
        if part == "old" and line == "====":
            current.old, part, text = "\n".join(text), "new", []
        elif part == "new" and line == ">>>>":
            current.new, part, text = "\n".join(text), None, []
        elif part is not None:
            text.append(line)
        elif line == "<<<<":
            if current is None:
                raise Malformed(f"{origin}: text before the first mutant")
            part, text = "old", []
        elif not line.strip() or line.startswith("#"):
            continue
        else:
            key, _, value = line.partition(" ")
            if key == "mutant":
                current = Mutant(value.strip(), origin)
                mutants.append(current)
            elif current is None or key not in FIELDS:
                raise Malformed(f"{origin}: '{key}' is no field of a mutant")
            else:
                current.fields[key] = value.strip()
    if part is not None:
        raise Malformed(f"{path.name}: the last text does not end")
    return mutants


def read_all():
    mutants = [mutant for path in sorted(HERE.glob("*.mutants")) for mutant in parse(path)]
    names = [mutant.name for mutant in mutants]
    for mutant in mutants:
        mutant.check_fields()
        if names.count(mutant.name) > 1:
            raise Malformed(f"{mutant.origin}: two mutants are named '{mutant.name}'")
    return mutants


def read_survivors():
    """Names of mutants known to survive; the rest of a line is the reason."""
    names = {}
    for line in (HERE / "survivors.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            name, _, reason = line.partition(" ")
            names[name] = reason.strip()
    return names


def check_text(mutants):
    bad = 0
    for mutant in mutants:
        count = mutant.matches(ROOT)
        if count != 1:
            where = mutant.fields["file"]
            what = "no such file" if count < 0 else f"old text matches {count} times, not once"
            print(f"{mutant.origin}: {mutant.name}: {where}: {what}")
            bad += 1
    unknown = set(read_survivors()) - {mutant.name for mutant in mutants}
    for name in sorted(unknown):
        print(f"survivors.txt: no mutant is named '{name}'")
    classes = {number for mutant in mutants for number in mutant.classes}
    print(f"{len(mutants)} mutants of {len(classes)} bug classes, {bad} do not match")
    return 1 if bad or unknown or not mutants else 0


def tree_files():
    """What a checkout consists of, without build folders."""
    command = ["git", "ls-files", "-co", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if listed.returncode == 0 and listed.stdout:
        return [name for name in listed.stdout.split("\0") if name]
    names = (p.relative_to(ROOT) for p in ROOT.rglob("*") if p.is_file())
    return [str(name) for name in names if name.parts[0] not in ("build", ".git")]


def copy_tree(tree):
    """Brings the copy up to date; unchanged files keep their time stamp, so rebuilds are small."""
    wanted = set()
    for name in tree_files():
        source, target = ROOT / name, tree / name
        if not source.is_file():
            continue
        wanted.add(target)
        if target.is_file() and target.read_bytes() == source.read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    for path in list(tree.rglob("*")):
        if path.is_file() and path not in wanted:
            path.unlink()


class Workshop:
    def __init__(self, folder, jobs, cases, seed):
        self.tree = folder / "tree"
        self.build = folder / "build"
        self.jobs = jobs
        self.cases = cases
        self.seed = seed

    def configure(self):
        self.tree.mkdir(parents=True, exist_ok=True)
        copy_tree(self.tree)
        command = ["cmake", "-G", "Ninja", "-S", str(self.tree), "-B", str(self.build),
                   "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_COMPILER=clang++",
                   "-DODDTILE_CUDA=OFF"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"configuring failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")

    def compile(self, suite):
        command = ["cmake", "--build", str(self.build), f"-j{self.jobs}", "--target",
                   program_of(suite)]
        return subprocess.run(command, capture_output=True, text=True)

    def run(self, suite):
        """(caught, by what, after how many cases): generated cases, then the committed corpus."""
        caught, by, after = self.run_generated(suite)
        if caught or suite not in KERNELS:
            return caught, by, after
        text, code = self.execute(suite, ["--replay", suite, "--corpus", str(self.tree / "corpus"),
                                          "--gtest_filter=replay.*"])
        if code == 0:
            return False, "", ""
        file = re.search(r"([\w-]+\.case)", text)
        return True, f"replay of {file.group(1)}" if file else "replay", "-"

    def run_generated(self, suite):
        text, code = self.execute(suite, ["--cases", str(default_cases(suite)),
                                          "--gtest_filter=-replay.*"])
        if code == 0:
            return False, "", ""
        after = re.search(r"found after (\d+) cases", text)
        by = re.search(r"^(\w+): \w+ of \w+ on sim, config=", text, re.MULTILINE)
        if by is None and code not in (0, 1):
            return True, "hang" if code == HANG else f"crash (exit {code})", "?"
        return True, by.group(1) if by else suite, after.group(1) if after else "-"

    def execute(self, suite, arguments):
        """(output, exit code) of a suite's program"""
        environment = dict(os.environ)
        cases = f" max_success={self.cases}" if self.cases else ""
        environment["RC_PARAMS"] = f"seed={self.seed} noshrink=1{cases}"
        command = [str(self.build / program_of(suite)), *arguments]
        try:
            done = subprocess.run(command, capture_output=True, text=True, env=environment,
                                  timeout=900, errors="replace")
        except subprocess.TimeoutExpired:
            return "", HANG
        return done.stdout + done.stderr, done.returncode


RACE = "race_"  # a suite over kernels whose accesses are watched


def program_of(suite):
    return suite if suite.startswith(RACE) else f"property_{suite}"


def default_cases(suite):
    """The suite's cases, as properties/suites/CMakeLists.txt has them."""
    text = (HERE.parent / "suites" / "CMakeLists.txt").read_text()
    if suite.startswith(RACE):
        found = re.search(rf'"{suite[len(RACE):]};(\d+);', text)
    else:
        found = re.search(rf"oddtile_property\({suite}\s[^)]*CASES (\d+)", text)
    return int(found.group(1)) if found else 100


def score_one(shop, mutant):
    path = shop.tree / mutant.fields["file"]
    original = path.read_text()
    started = time.time()
    try:
        path.write_text(original.replace(mutant.old, mutant.new))
        compiled = shop.compile(mutant.suite)
        if compiled.returncode != 0:
            return "does not compile", compiled.stdout[-1500:], "", time.time() - started
        caught, by, after = shop.run(mutant.suite)
        return "caught" if caught else "SURVIVES", by, after, time.time() - started
    finally:
        path.write_text(original)


def per_kernel(caught):
    """How many distinct bug classes were caught in each kernel, as one line."""
    def count(kernel):
        return len({n for mutant in caught if mutant.kernel == kernel for n in mutant.classes})
    counts = ", ".join(f"{kernel} {count(kernel)}" for kernel in KERNELS)
    return f"Distinct bug classes caught, per kernel: {counts}."


def write_table(rows, path, seed):
    lines = [f"Each mutant alone, suites on the simulator, seed {seed}, no shrinking.", "",
             "| mutant | bug class | kernel | result | by | after cases | seconds |",
             "|---|---|---|---|---|---:|---:|"]
    for mutant, result, by, after, seconds in rows:
        classes = "; ".join(f"{n} {CLASSES[n]}" for n in mutant.classes)
        lines.append(f"| {mutant.name} | {classes} | {mutant.kernel} | {result} | "
                     f"{by} | {after} | {seconds:.0f} |")
    caught = sum(result == "caught" for _, result, *_ in rows)
    classes = {n for mutant, result, *_ in rows if result == "caught" for n in mutant.classes}
    lines += ["", f"{caught} of {len(rows)} caught, {len(classes)} bug classes."]
    lines.insert(-1, per_kernel([mutant for mutant, result, *_ in rows if result == "caught"]))
    lines.insert(-1, "")
    path.write_text("\n".join(lines) + "\n")
    return lines[-1]


def score(mutants, arguments):
    shop = Workshop(arguments.build, arguments.jobs, arguments.cases, arguments.seed)
    shop.configure()
    survivors = read_survivors()
    rows, unexpected = [], 0
    for suite in sorted({mutant.suite for mutant in mutants}):
        chosen = [mutant for mutant in mutants if mutant.suite == suite]
        compiled = shop.compile(suite)
        if compiled.returncode != 0:
            print(f"{program_of(suite)} does not build unmutated:\n{compiled.stdout[-3000:]}")
            return 3
        caught, by, _ = shop.run(suite)  # on the kernels as they are
        if caught:
            print(f"{program_of(suite)} fails unmutated ({by}): no mutant can be scored")
            return 3
        for mutant in chosen:
            result, by, after, seconds = score_one(shop, mutant)
            known = mutant.name in survivors
            if result == "does not compile" or (result == "SURVIVES") != known:
                unexpected += 1
            print(f"{mutant.name}: {result} {by} {after} ({seconds:.0f} s)", flush=True)
            rows.append((mutant, result, "" if result == "does not compile" else by, after,
                         seconds))
            summary = write_table(rows, arguments.build / "results.md", arguments.seed)
    print(summary)
    return 1 if unexpected else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check-text", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="names, or kernels")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "mutants")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--cases", type=int, help="instead of each suite's own number")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    try:
        mutants = read_all()
    except Malformed as error:
        print(error)
        return 2
    if arguments.only:
        unknown = set(arguments.only) - {m.name for m in mutants} - set(KERNELS)
        if unknown:
            print(f"no mutant is named {', '.join(sorted(unknown))}")
            return 2
        mutants = [m for m in mutants if m.name in arguments.only or m.kernel in arguments.only]
    if arguments.list:
        for mutant in mutants:
            print(f"{mutant.name} (class {mutant.fields['class']}): {mutant.fields['promise']}")
        return 0
    return check_text(mutants) if arguments.check_text else score(mutants, arguments)


if __name__ == "__main__":
    sys.exit(main())
