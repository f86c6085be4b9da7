// `oddtile compare before.so after.so '<case>' ...`: did a change make it faster, and did it change
// a bit?
#include "reports/cli/compare_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "reports/cli/comparison_text.h"
#include "reports/cli/selection.h"

namespace oddtile::reports {
namespace {

bool is_library(const std::string& word) {
  return word.ends_with(".so") && !word.starts_with('@');
}

std::vector<Library> libraries_of(const std::vector<std::string>& words) {
  std::vector<Library> libraries;
  for (const std::string& word : words) {
    if (!is_library(word)) continue;
    std::string reason;
    const oddtile_implementation* table = properties::load_plugin(word, &reason);
    if (table == nullptr) throw WrongUse(reason);
    libraries.push_back({word, table});
  }
  if (libraries.empty()) throw WrongUse("compare needs a library: a path that ends in .so");
  return libraries;
}

std::vector<oracles::Case> cases_of(const std::vector<std::string>& words, bool all) {
  std::vector<std::string> texts;
  std::copy_if(words.begin(), words.end(), std::back_inserter(texts),
               [](const std::string& word) { return !is_library(word); });
  std::vector<oracles::Case> cases;
  for (const auto& [text, where] : case_lines(texts)) {
    cases.push_back(case_of(text, where, host_bytes_of_comparison));
    const int64_t one = cases.back().configuration;
    if (!all || one < 0) continue;
    throw WrongUse(fmt::format("{}: config={} is one configuration, --all each", where, one));
  }
  if (cases.empty()) throw WrongUse("compare needs a case: a text, or @file with one a line");
  return cases;
}

}  // namespace

int compare_with(const std::vector<oracles::Case>& cases, const std::vector<Library>& libraries,
                 properties::Machine& machine, Timer& timer, const CompareOptions& options) {
  const ComparisonOptions how = {.rounds = options.rounds, .repeats = options.repeats};
  std::vector<ComparedEntry> all;
  for (oracles::Case subject : cases) {
    if (options.all) subject.configuration = 0;
    int32_t offered = 0;
    do {
      auto entries = compare(subject, libraries, machine, timer, how, &offered);
      for (ComparedEntry& entry : entries) entry.finding = finding(entry, options.slower);
      if (!options.json) {
        fmt::print("{}", comparison_text(entries));
        std::fflush(stdout);
      }
      all.insert(all.end(), entries.begin(), entries.end());
    } while (options.all && ++subject.configuration < offered);
  }
  if (options.json) fmt::print("{}", to_json(all));
  const bool clean = std::all_of(all.begin(), all.end(),
                                 [](const ComparedEntry& entry) { return entry.finding.empty(); });
  return clean ? 0 : 1;
}

std::vector<Library> with_baseline(std::vector<Library> libraries, properties::Machine& machine) {
  if (libraries.size() == 1) {
    libraries.insert(libraries.begin(),
                     {"fused of this program", &implementation_named("fused", machine)});
  }
  return libraries;
}

int compare_command(const CompareOptions& options) {
  const std::vector<oracles::Case> cases = cases_of(options.words, options.all);
  const std::vector<Library> libraries = libraries_of(options.words);
  properties::Machine& machine = machine_named(options.machine);
  std::string reason;
  const std::unique_ptr<Timer> timer = make_timer(machine, &reason);
  if (timer == nullptr) throw WrongUse("cannot time: " + reason);
  return compare_with(cases, with_baseline(libraries, machine), machine, *timer, options);
}

}  // namespace oddtile::reports
