// What the suites share: options of the command line, the bodies that drive a check over generated
// cases or a folder of them, and the tally that proves that they ran. A suite itself is a
// GoogleTest file of a few lines; suite.cc has the main function of all of them.
#pragma once

#include <rapidcheck.h>

#include <cstdint>
#include <string>

#include "properties/checks/checks.h"
#include "properties/gen/gen.h"

namespace oddtile::properties {

struct SuiteOptions {
  std::string name = "property";  // of the ctest, for messages
  std::string machine = "sim";
  std::string implementation = "fused";
  std::string corpus;  // the folder corpus/
  std::string replay;  // which folders of corpus/seeds and corpus/regressions
  std::string plugin;  // path of a shared library
  int cases = 100;     // unless RC_PARAMS says max_success
};

const SuiteOptions& suite_options();
Machine& suite_machine();
const oddtile_implementation& suite_implementation();
Scale suite_scale();  // of generated cases: what the machine can take

// What a suite did. Cases after the first failure (RapidCheck shrinks) are not counted.
struct Tally {
  int64_t cases = 0;
  int64_t not_offered = 0;
  int64_t vacuous = 0;
  int64_t suspect = 0;
  int64_t launches = 0;
  int64_t judged = 0;
  int64_t not_judged = 0;
  double worst_ratio = 0;
  bool failed = false;

  void add(const CheckResult& result);
  std::string text() const;
  // Empty, or why this tally proves nothing.
  std::string proves_nothing() const;
};

// Both are one GoogleTest body each. Without --replay the second skips itself; with it, no file is
// a failure.
void every_case_holds(const rc::Gen<oracles::Case>& cases);
void every_file_holds();

// The number of the first of at most `limit` generated cases that the check finds wrong, its report
// in *report; 0 for none. For canaries: does not shrink.
int cases_until_found(const rc::Gen<oracles::Case>& cases, const oddtile_implementation& which,
                      int limit, std::string* report);

}  // namespace oddtile::properties
