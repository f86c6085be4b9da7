"""sanitize.py <folder of the built programs> [--cases 200] [--kernels attention] [--case '<case>']

compute-sanitizer's four tools over a short run of each fused kernel on the GPU: the property suite
with a fixed seed, or one case through `oddtile run` with the configuration that it names. One line
a run; messages are listed by kernel and kind, since some of racecheck's are known to be false
(README.md). No packages needed. Exit code 1 where a tool found something or nothing was judged.
"""
import argparse
import collections
import os
import re
import subprocess
import sys

TOOLS = ("memcheck", "initcheck", "synccheck", "racecheck")
KERNELS = ("attention", "softmax", "vector_add")


def found(output):
    """Errors (or hazards) that the tool counted; None where it did not come to its summary."""
    for pattern in (r"ERROR SUMMARY: (\d+) error", r"RACECHECK SUMMARY: (\d+) hazard"):
        counts = re.findall(pattern, output)
        if counts:
            return int(counts[-1])
    return None


def kinds(output):
    """Messages by kernel and first clause: {(kernel, message): times}, addresses left out."""
    messages = collections.Counter()
    message = None
    for line in output.splitlines():
        text = line.removeprefix("=========").strip()
        if re.match(r"(Error|Warning|Invalid|Uninitialized|Barrier|Divergent)", text):
            message = re.sub(r"0x[0-9a-f]+|\(\d+,\d+,\d+\)|\d+", "_", text)[:100]
        place = kernel_of(text)
        if message and place:
            messages[place, message] += 1
            message = None
    return messages


def kernel_of(text):
    """The last name before arguments in "at void a::b<c::d>(int*)+0x70 in f.cu:3", or None."""
    plain = text.replace("(anonymous namespace)::", "")
    place = re.search(r"\bat (?!block|thread)([^<(+]*)[<(+]", plain)
    return re.split(r"[ :]", place[1])[-1] if place else None


def judged(output):
    """Elements that the run judged: a run that judged nothing shows nothing."""
    counts = re.findall(r"(\d+) (?:elements )?judged", output)
    return sum(int(count) for count in counts)


def command(options, tool, kernel):
    sanitizer = ["compute-sanitizer", "--tool", tool, "--print-limit", "1000"]
    if options.case:
        return sanitizer + [os.path.join(options.folder, "oddtile"), "run", options.case,
                            "--machine", "cuda"]
    return sanitizer + [os.path.join(options.folder, f"property_{kernel}"), "--machine", "cuda",
                        "--implementation", "fused"]


def run(options, tool, kernel):
    """(text of the line, whether it is a finding)"""
    environment = dict(os.environ, RC_PARAMS=f"seed=1 max_success={options.cases} noshrink=1")
    try:
        done = subprocess.run(command(options, tool, kernel), env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=options.seconds)
        output, code = done.stdout, done.returncode
    except subprocess.TimeoutExpired as late:
        output, code = (late.stdout or b"").decode(errors="replace"), "out of time"
    if options.log:
        with open(os.path.join(options.log, f"{tool}-{kernel}.log"), "w", encoding="utf-8") as file:
            file.write(output)
    count, seen = found(output), judged(output)
    lines = [f"{tool:9} {kernel:10} found {count}, {seen} elements judged, exit code {code}"]
    lines += [f"    {times} x {message} in {where}"
              for (where, message), times in kinds(output).most_common(8)]
    return "\n".join(lines), count != 0 or code != 0 or seen == 0


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--tools", default=",".join(TOOLS))
    parser.add_argument("--kernels", default=",".join(KERNELS))
    parser.add_argument("--case", default="", help="one case instead of a suite")
    parser.add_argument("--seconds", type=float, default=120, help="of one run")
    parser.add_argument("--log", default="", help="folder for the whole output")
    return parser.parse_args(arguments)


def main():
    options = parse(sys.argv[1:])
    kernels = [options.case.split()[0]] if options.case else options.kernels.split(",")
    findings = 0
    for kernel in kernels:
        for tool in options.tools.split(","):
            line, finding = run(options, tool, kernel)
            findings += finding
            print(line, flush=True)
    print(f"{findings} runs with a finding")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
