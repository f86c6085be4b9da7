// The program `oddtile`: run a case, time it, sweep and report. README.md has the whole usage.
//
// Exit codes: 0 clean, 1 findings, 2 wrong usage (one line says what), 3 the tool itself broke.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "reports/cli/commands.h"
#include "reports/measure/by_name.h"
#include "reports/measure/ratio.h"
#include "reports/measure/timer.h"

namespace oddtile::reports {
namespace {

// One line, whatever a library put into its message.
int complain(std::string message, int code) {
  std::replace(message.begin(), message.end(), '\n', ' ');
  while (!message.empty() && message.back() == ' ') message.pop_back();
  fmt::print(stderr, "oddtile: {}\n", message);
  return code;
}

void add_selection(CLI::App* command, Selection& selection) {
  command->add_option("case", selection.words, "the case: text, @file, or a path ending in .case")
      ->required();
  command->add_option("--machine", selection.machine, "sim or cuda")->capture_default_str();
  command->add_option("--plugin", selection.plugin, "a shared library with its own table");
  command->add_flag("--json", selection.json, "print the result as JSON");
}

void add_soundness(CLI::App& app, SoundnessOptions& options) {
  CLI::App* command = app.add_subcommand(
      "soundness", "random search and hill climbs over right kernels: none may leave its bound");
  command->add_option("--machine", options.machine, "sim or cuda")->capture_default_str();
  command->add_option("--outputs", options.outputs, "to judge of each kernel in each type")
      ->capture_default_str();
  command->add_option("--seed", options.seed, "of all that is drawn")->capture_default_str();
  command->add_option("--state", options.state, "file to keep and to go on from");
  command->add_option("--record", options.record, "file for a record of it, to render");
  command->add_option("--kernel", options.kernel, "only this one");
  command->add_option("--time-limit", options.seconds_at_most, "seconds of this run's search");
  command->add_option("--climb-time-limit", options.climb_seconds_at_most,
                      "seconds of its climbs; default: as the search");
  command->add_option("--climb", options.climb, "evaluations of each hill climb")
      ->capture_default_str();
  command->add_option("--threads", options.threads, "default: one per core");
}

void add_worlds(CLI::App& app, WorldsOptions& options) {
  CLI::App* command =
      app.add_subcommand("worlds", "small worlds in full: every size with everything it can meet");
  command->add_option("--machine", options.machine, "sim or cuda")->capture_default_str();
  command->add_option("--world", options.world, "only this one");
  command->add_flag("--sample", options.sample, "every size, but a part of the combinations");
  command->add_option("--time-limit", options.seconds_at_most, "seconds");
}

void add_removal(CLI::App& app, RemovalCommandOptions& options) {
  CLI::App* command = app.add_subcommand(
      "removal", "each synchronisation word of each kernel switched off: what shows it");
  command->add_option("--kernel", options.kernel, "only this one");
  command->add_option("--schedules", options.schedules, "of each configuration, at most")
      ->capture_default_str();
  command->add_option("--whole", options.whole, "of each configuration with every word in place")
      ->capture_default_str();
  command->add_option("--redundant", options.redundant, "words that nothing shows, with the reason")
      ->capture_default_str();
}

void add_profile(CLI::App& app, ProfileOptions& options) {
  CLI::App* command = app.add_subcommand(
      "profile", "measures a GPU's exp2, log2, reciprocal and products; what bounds read");
  command->add_option("--output", options.output, "the profile, a JSON file")->required();
  command->add_option("--dump", options.dump, "raw results of one period, for fitting models");
  command->add_option("--machine", options.machine, "cuda; sim measures products only")
      ->capture_default_str();
  command->add_option("--fragments", options.fragments, "random ones per instruction and type")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_flag("--products-only", options.products_only, "a quick look: no functions");
}

void add_tune(CLI::App& app, TuneOptions& options) {
  CLI::App* command =
      app.add_subcommand("tune", "every configuration of softmax and vector add beside a copy");
  command->add_option("cases", options.cases, "texts, or @file with one a line")->required();
  command->add_option("--machine", options.machine, "cuda")->capture_default_str();
  command->add_option("--rounds", options.rounds, "medians are of so many")->capture_default_str();
  command->add_option("--repeats", options.repeats, "launches in one graph: for small problems")
      ->capture_default_str()
      ->check(CLI::Range(1, kMostRepeats));
  command->add_flag("--preferred", options.preferred, "only the configuration that is chosen");
  command->add_option("--density", options.density, "share of visible elements of masks");
  command->add_option("--run", options.run, "elements that are visible or hidden together")
      ->check(CLI::PositiveNumber);
  command->add_flag("--unverified", options.unverified, "do not judge outputs");
}

// CLI::PositiveNumber lets NaN pass, with which no time is ever above the limit.
std::string is_a_ratio(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const bool good = *end == '\0' && std::isfinite(value) && value > 0;
  return good ? "" : fmt::format("'{}' is no ratio of times; 1.01 is 1 % more", text);
}

void add_compare(CLI::App& app, CompareOptions& options) {
  CLI::App* command = app.add_subcommand(
      "compare", "plug-ins side by side in the same buffers: time and bits, outputs judged");
  command
      ->add_option("libraries and cases", options.words,
                   "libraries: paths that end in .so, the first the baseline (of one alone: this "
                   "program's own kernels); cases: texts, or @file with one a line")
      ->required();
  command->add_option("--machine", options.machine, "cuda")->capture_default_str();
  command->add_option("--rounds", options.rounds, "medians and intervals are of so many")
      ->capture_default_str()
      ->check(CLI::Range(kLeastRounds, kMostRounds));
  command->add_option("--repeats", options.repeats, "launches in one graph: for small problems")
      ->capture_default_str()
      ->check(CLI::Range(1, kMostRepeats));
  command->add_flag("--all", options.all, "each configuration that the baseline has");
  command
      ->add_option("--slower", options.slower,
                   "a case whose time over the baseline's lies wholly above it is a finding: 1.01")
      ->check(is_a_ratio);
  command->add_flag("--json", options.json, "print the result as JSON");
}

struct Usage {
  CLI::App app{"oddtile: checks, times and reports GPU kernels where they break", "oddtile"};
  Selection run, time;
  ReportOptions report;
  RenderOptions render;
  ProfileOptions profile;
  SoundnessOptions soundness;
  WorldsOptions worlds;
  RemovalCommandOptions removal;
  TuneOptions tune;
  CompareOptions compare;

  Usage() {
    app.require_subcommand(1);
    app.add_subcommand("machines", "where kernels can run here, and why not");
    app.add_subcommand("list", "kernels, implementations and configurations, with profiles");
    CLI::App* run_app = app.add_subcommand("run", "one case through every check");
    add_selection(run_app, run);
    run_app->add_option("--implementation", run.implementation, "fused or eager (default: fused)");
    run_app->add_option("--arithmetic", run.arithmetic,
                        "of the simulator: plain, or a hardware profile's name");
    CLI::App* time_app = app.add_subcommand("time", "one case timed beside its baseline");
    time.machine = "cuda";
    add_selection(time_app, time);
    add_tune(app, tune);
    add_compare(app, compare);
    add_soundness(app, soundness);
    add_worlds(app, worlds);
    add_removal(app, removal);
    add_profile(app, profile);
    CLI::App* report_app =
        app.add_subcommand("report", "sweeps; record.json, summary.md, index.html");
    report_app->add_option("--output", report.output, "folder")->capture_default_str();
    report_app
        ->add_option("--sections", report.sections,
                     "any of errors,io,criteria,soundness,timing, each with :quick or without")
        ->capture_default_str();
    report_app->add_flag("--quick", report.quick, "a fraction of every sweep");
    report_app->add_option("--rates", report.rates, "files of benchmark_executions");
    report_app->add_option("--beside", report.beside, "records that the pages show as well");
    CLI::App* render_app = app.add_subcommand("render", "the pages of existing records");
    render_app->add_option("record", render.records, "record.json, one or more")->required();
    render_app->add_option("--output", render.output, "folder")->capture_default_str();
  }

  // CLI11 would only say that a subcommand is required.
  void refuse_unknown(int argc, char** argv) const {
    const std::string word = argc > 1 ? argv[1] : "-";
    if (word.starts_with('-')) return;
    std::string known;
    for (const CLI::App* command : app.get_subcommands({})) {
      if (command->get_name() == word) return;
      known += (known.empty() ? "" : ", ") + command->get_name();
    }
    throw WrongUse(fmt::format("unknown subcommand '{}'; subcommands: {}", word, known));
  }

  int dispatch() const {
    if (app.got_subcommand("machines")) return machines_command();
    if (app.got_subcommand("list")) return list_command();
    if (app.got_subcommand("run")) return run_command(run);
    if (app.got_subcommand("time")) return time_command(time);
    if (app.got_subcommand("tune")) return tune_command(tune);
    if (app.got_subcommand("compare")) return compare_command(compare);
    if (app.got_subcommand("soundness")) return soundness_command(soundness);
    if (app.got_subcommand("worlds")) return worlds_command(worlds);
    if (app.got_subcommand("removal")) return removal_command(removal);
    if (app.got_subcommand("profile")) return profile_command(profile);
    if (app.got_subcommand("report")) return report_command(report);
    return render_command(render);
  }
};

int main_with_codes(int argc, char** argv) {
  try {
    Usage usage;
    usage.refuse_unknown(argc, argv);
    try {
      usage.app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      if (error.get_exit_code() == 0) return usage.app.exit(error);  // --help
      return complain(std::string(error.what()) + "; see oddtile --help", 2);
    }
    return usage.dispatch();
  } catch (const WrongUse& wrong) {
    return complain(wrong.what(), 2);
  } catch (const std::exception& broken) {
    return complain(std::string("internal error: ") + broken.what(), 3);
  }
}

// What was printed may still wait in a buffer: a full disk or a closed pipe shows only here.
int flushed(int code) {
  if (code == 3 || (std::fflush(stdout) == 0 && std::ferror(stdout) == 0)) return code;
  return complain(std::string("cannot write standard output: ") + std::strerror(errno), 3);
}

}  // namespace
}  // namespace oddtile::reports

int main(int argc, char** argv) {
  return oddtile::reports::flushed(oddtile::reports::main_with_codes(argc, argv));
}
