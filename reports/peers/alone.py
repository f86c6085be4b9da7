"""Whose output is it? Launches that share one output, judged one at a time. No packages needed."""


def each_alone(launches, prepare, wait, verdict):
    """{name: verdict(launch)}: each launch runs once more on an output that prepare() has
    poisoned, and is judged before the next one writes there."""
    verdicts = {}
    for launch in launches:
        prepare()
        with launch.held():
            launch.launch()
        wait()
        verdicts[launch.name] = verdict(launch)
    return verdicts
