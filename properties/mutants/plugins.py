#!/usr/bin/env python3
"""Writes the sources of the plug-ins that criteria.txt names: a mutant each, for the simulator.

    plugins.py --check                    criteria.txt names twelve mutants that can be built
    plugins.py --output DIR --index FILE  what CMakeLists.txt here calls at build time

DIR/<mutant>/<path> is the mutated file. It stands before the tree in the include path, so that
nothing else is copied: includes begin at the root. DIR/<mutant>.cc includes the one source that
must be compiled anew and exports the table. FILE lists name, kernel and promise, with tabs between:
what a program needs to know of the plug-ins beside it. Exit code 0, or 2 and what is wrong.
"""

import argparse
import hashlib
import pathlib
import sys

import score

LIST = score.HERE / "criteria.txt"
COUNT = 12

PLUGIN = """\
// {name}: breaks "{promise}"
// Changes with the mutated text ({digest}), so that it is compiled again.
#include "{source}"

#include "kernels/library/library.h"

ODDTILE_API const oddtile_implementation* oddtile_plugin(uint32_t abi_version) {{
  return abi_version == ODDTILE_ABI_VERSION ? &oddtile::sim::fused() : nullptr;
}}
"""


def names_of(text):
    return [line for line in map(str.strip, text.splitlines()) if line and line[0] != "#"]


def chosen(names, mutants, count=COUNT):
    """The mutants of these names; Malformed where the list is not what it says."""
    by_name = {mutant.name: mutant for mutant in mutants}
    for name in names:
        if name not in by_name:
            raise score.Malformed(f"{LIST.name}: no mutant is named '{name}'")
        if names.count(name) > 1:
            raise score.Malformed(f"{LIST.name}: '{name}' is named twice")
        source(by_name[name])
    if len(names) != count:
        raise score.Malformed(f"{LIST.name}: {len(names)} mutants, not {count}")
    return [by_name[name] for name in names]


def source(mutant):
    """The file to compile anew. Only what the kernel's .cu reaches: other objects stay as they are,
    and host code that several of them include would be mutated in one of them only."""
    if not mutant.fields["file"].endswith((".cu", ".cuh")):
        raise score.Malformed(f"{mutant.origin}: {mutant.name}: not in a .cu or .cuh")
    if mutant.matches(score.ROOT) != 1:
        raise score.Malformed(f"{mutant.origin}: {mutant.name}: its old text does not match once")
    return f"kernels/{mutant.kernel}/{mutant.kernel}.cu"


def write(path, text):
    """Keeps the time stamp of what does not change: nothing is rebuilt for it."""
    if path.is_file() and path.read_text() == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def write_plugin(mutant, output):
    original = (score.ROOT / mutant.fields["file"]).read_text()
    mutated = original.replace(mutant.old, mutant.new)
    write(output / mutant.name / mutant.fields["file"], mutated)
    digest = hashlib.sha256(mutated.encode()).hexdigest()[:16]
    write(output / f"{mutant.name}.cc",
          PLUGIN.format(name=mutant.name, promise=mutant.fields["promise"], digest=digest,
                        source=source(mutant)))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--output", type=pathlib.Path)
    parser.add_argument("--index", type=pathlib.Path)
    arguments = parser.parse_args()
    if not arguments.check and not (arguments.output and arguments.index):
        parser.error("--check, or --output and --index")
    try:
        mutants = chosen(names_of(LIST.read_text()), score.read_all())
    except score.Malformed as error:
        print(error)
        return 2
    if arguments.check:
        print(f"{len(mutants)} mutants can be built as plug-ins")
        return 0
    for mutant in mutants:
        write_plugin(mutant, arguments.output)
    write(arguments.index, "".join(f"{m.name}\t{m.kernel}\t{m.fields['promise']}\n"
                                   for m in mutants))
    return 0


if __name__ == "__main__":
    sys.exit(main())
