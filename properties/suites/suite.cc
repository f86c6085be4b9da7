#include "properties/suites/suite.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <vector>

#include "oracles/case/case_file.h"
#include "oracles/case/text.h"
#include "properties/suites/rc_params.h"

namespace oddtile::properties {
namespace {

constexpr int kSkipped = 77;  // SKIP_RETURN_CODE in property.cmake
constexpr int kWrongUse = 2;

SuiteOptions options;
Machine* machine = nullptr;
const oddtile_implementation* implementation = nullptr;

CheckResult check(const oracles::Case& subject, Tally* tally) {
  CheckResult result = check_case(subject, *implementation, *machine);
  tally->add(result);
  // Not a failure, but to be looked at.
  if (result.verdict == oracles::Verdict::suspect) {
    fmt::print("{}: suspect: {}\n{}", options.name, oracles::print(subject),
               result.judgement.explanation);
  }
  if (machine->lost()) {
    // A fault of the device ends the process: what would follow (shrinking, say) cannot launch.
    fmt::print("{}\n{}: FAILED after {} cases, the machine is lost\n", result.report, options.name,
               tally->cases);
    std::fflush(stdout);
    std::_Exit(1);
  }
  return result;
}

// Our kernels take every possible case; a baseline or a plug-in may decline some.
bool takes_everything() {
  return options.implementation == "fused";
}

void conclude(const Tally& tally) {
  fmt::print("{}: {} of {}: {}\n", options.name, options.implementation, machine->name(),
             tally.text());
  if (tally.failed) {
    fmt::print("{}: found after {} cases\n", options.name, tally.cases);
    return;
  }
  const std::string nothing = tally.proves_nothing();
  EXPECT_TRUE(nothing.empty()) << "the suite proves nothing: " << nothing;
}

// RC_PARAMS, completed by a seed and a number of cases, so that both are known and printed; false,
// with the reason printed, for what RapidCheck would not understand.
bool set_rc_params() {
  const char* given = std::getenv("RC_PARAMS");
  std::string complaint;
  const std::string params = complete_rc_params(given == nullptr ? "" : given,
                                                std::random_device{}(), options.cases, &complaint);
  if (params.empty()) {
    fmt::print(stderr, "{}: RC_PARAMS: {}\n", options.name, complaint);
    return false;
  }
  setenv("RC_PARAMS", params.c_str(), 1);
  fmt::print("{}: RC_PARAMS=\"{}\" on {}\n", options.name, params, machine->description());
  std::fflush(stdout);
  return true;
}

std::vector<std::filesystem::path> case_files() {
  std::vector<std::filesystem::path> files;
  for (const char* part : {"seeds", "regressions"}) {
    const std::filesystem::path folder =
        std::filesystem::path(options.corpus) / part / options.replay;
    std::error_code absent;  // no regression of a kernel is known before the first is found
    for (const auto& entry : std::filesystem::directory_iterator(folder, absent)) {
      if (entry.path().extension() == ".case") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

const SuiteOptions& suite_options() {
  return options;
}
Machine& suite_machine() {
  return *machine;
}
const oddtile_implementation& suite_implementation() {
  return *implementation;
}
Scale suite_scale() {
  return options.machine == "cuda" ? Scale::device : Scale::simulator;
}

void every_case_holds(const rc::Gen<oracles::Case>& cases) {
  Tally tally;
  const bool holds = rc::check(options.name, [&] {
    const oracles::Case subject = *cases;
    const CheckResult result = check(subject, &tally);
    if (!result.offered && takes_everything()) {
      RC_FAIL("not offered: " + oracles::print(subject));
    }
    if (result.verdict == oracles::Verdict::fail) RC_FAIL("\n" + result.report);
  });
  EXPECT_TRUE(holds);
  conclude(tally);
}

void every_file_holds() {
  if (options.replay.empty()) GTEST_SKIP() << "nothing to replay: no --replay was given";
  Tally tally;
  for (const std::filesystem::path& path : case_files()) {
    std::string complaint;
    const auto file = oracles::read_case_file(path.string(), &complaint);
    if (!file) {
      ADD_FAILURE() << complaint;
      continue;
    }
    tally.failed = false;  // every file counts, also those behind a failure
    const CheckResult result = check(file->subject, &tally);
    EXPECT_TRUE(result.offered || !takes_everything()) << path.string() << ": not offered";
    EXPECT_NE(result.verdict, oracles::Verdict::fail) << path.string() << "\n" << result.report;
  }
  tally.failed = false;
  conclude(tally);
}

int cases_until_found(const rc::Gen<oracles::Case>& cases, const oddtile_implementation& which,
                      int limit, std::string* report) {
  const uint64_t seed = rc::detail::configuration().testParams.seed;
  for (int i = 0; i < limit; ++i) {
    const oracles::Case subject = cases(rc::Random(seed + uint64_t(i)), i % 100).value();
    const CheckResult result = check_case(subject, which, *machine);
    if (!result.offered || result.verdict != oracles::Verdict::fail) continue;
    *report = result.report;
    return i + 1;
  }
  return 0;
}

namespace {

// Takes "--name value" pairs; false for anything else.
bool parse_options(int argc, char** argv) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string flag = argv[i];
    if (flag == "--name")
      options.name = argv[i + 1];
    else if (flag == "--machine")
      options.machine = argv[i + 1];
    else if (flag == "--implementation")
      options.implementation = argv[i + 1];
    else if (flag == "--corpus")
      options.corpus = argv[i + 1];
    else if (flag == "--replay")
      options.replay = argv[i + 1];
    else if (flag == "--plugin")
      options.plugin = argv[i + 1];
    else if (flag == "--cases")
      options.cases = std::atoi(argv[i + 1]);
    else
      return false;
  }
  return argc % 2 == 1 && (options.machine == "sim" || options.machine == "cuda");
}

int run_suite() {
  machine = options.machine == "sim" ? &sim_machine() : cuda_machine();
  if (machine == nullptr) {
    fmt::print("SKIPPED {}: {}\n", options.name, cuda_absence_reason());
    return kSkipped;
  }
  for (const oddtile_implementation* candidate : machine->implementations()) {
    if (options.implementation == candidate->name) implementation = candidate;
  }
  if (implementation == nullptr) {
    fmt::print(stderr, "{}: no implementation '{}' on {}\n", options.name, options.implementation,
               options.machine);
    return kWrongUse;
  }
  if (!set_rc_params()) return kWrongUse;
  return RUN_ALL_TESTS();
}

}  // namespace
}  // namespace oddtile::properties

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc == 2 && std::string(argv[1]) == "--why-no-cuda") {
    fmt::print("{}", oddtile::properties::cuda_machine() == nullptr
                         ? oddtile::properties::cuda_absence_reason()
                         : "");
    return 0;
  }
  if (!oddtile::properties::parse_options(argc, argv)) {
    fmt::print(stderr, "usage: {} [--machine sim|cuda] [--implementation NAME] [--cases N] ...\n",
               argv[0]);
    return oddtile::properties::kWrongUse;
  }
  return oddtile::properties::run_suite();
}
