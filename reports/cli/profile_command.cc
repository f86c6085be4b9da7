// `oddtile profile --output <file.json>`: a machine's arithmetic, measured.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>

#include "properties/arithmetic/functions.h"
#include "properties/arithmetic/measure.h"
#include "reports/cli/selection.h"
#include "reports/measure/environment.h"

namespace oddtile::reports {
namespace {

// "NVIDIA H200" becomes "nvidia-h200", the name of the file it belongs in.
std::string file_name_of(const std::string& device) {
  std::string name;
  for (const char c : device) {
    const bool letter = std::isalnum(static_cast<unsigned char>(c)) != 0;
    name += letter ? char(std::tolower(static_cast<unsigned char>(c))) : '-';
  }
  return name;
}

std::ofstream opened(const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  if (!file) throw WrongUse("cannot write " + path);
  return file;
}

// One period and its neighbours as 32-bit results, one block of 2^23 behind the other.
void dump(properties::Machine& machine, std::ofstream& file) {
  struct Part {
    ProbeFunction function;
    int exponent;
    bool negative;
  };
  for (const Part& part :
       {Part{ProbeFunction::exp2, 0, false}, Part{ProbeFunction::exp2, -1, false},
        Part{ProbeFunction::exp2, 0, true}, Part{ProbeFunction::log2, 0, false},
        Part{ProbeFunction::reciprocal, 0, false}}) {
    const auto results =
        properties::results_of_binade(machine, part.function, part.exponent, part.negative);
    if (!results) throw WrongUse("the machine '" + machine.name() + "' has nothing to dump");
    file.write(reinterpret_cast<const char*>(results->data()), int64_t(results->size() * 4));
  }
}

}  // namespace

int profile_command(const ProfileOptions& options) {
  properties::Machine& machine = machine_named(options.machine);
  std::ofstream file = opened(options.output);
  std::ofstream raw;
  if (!options.dump.empty()) raw = opened(options.dump);
  const Environment facts = environment();
  fmt::print("{}\n", machine.description());
  properties::MeasuredMachine measured = properties::measure_machine(
      machine, properties::sim_machine(), options.fragments,
      [](const std::string& line) {
        fmt::print("{}\n", line);
        std::fflush(stdout);
      },
      options.products_only);
  oracles::HardwareProfile& profile = measured.profile;
  const std::string device = facts.device.empty() ? machine.name() : facts.device;
  profile.name = file_name_of(device);
  profile.devices = {device};
  profile.driver = facts.driver;
  profile.toolkit = facts.toolkit;
  profile.date = facts.date;
  profile.commit = facts.commit;
  profile.source = "oddtile profile";
  file << oracles::to_json(profile);
  if (raw.is_open()) dump(machine, raw);
  file.flush();
  if (!file) throw WrongUse("cannot write " + options.output);
  fmt::print("{}: {}\n", options.output,
             measured.complete ? "complete" : "INCOMPLETE: see what is missing or differs above");
  return measured.complete ? 0 : 1;
}

}  // namespace oddtile::reports
