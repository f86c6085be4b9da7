// What was measured of a machine's arithmetic (`oddtile profile`), and how the bounds read it. The
// measurements are data: oracles/bounds/profiles/<name>.json, built into this library. README.md
// ("Hardware") has the schema.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/api/kernels.h"

namespace oddtile::oracles {

// One approximate function over all 2^32 arguments.
struct MeasuredFunction {
  std::string instruction;       // "ex2.approx.ftz.f32"
  double relative_error = 0;     // largest, of normal results; log2: where |log2| >= 1
  uint32_t relative_at = 0;      // the argument's bits
  double absolute_error = 0;     // log2 only: largest where |log2| < 1
  uint32_t absolute_at = 0;      // the argument's bits
  double ulp = 0;                // largest error in units of the exact value's last place
  uint32_t ulp_at = 0;           // the argument's bits
  int64_t arguments = 0;         // that these are maxima of
  int64_t not_monotone = 0;      // neighbours whose results fall although the function rises
  bool flushes_results = false;  // subnormal results are 0
  bool flushes_arguments = false;
  bool simulated = false;  // the simulator has its bits, of all random arguments
};

// How one instruction of the matrix unit agreed with the arithmetic below.
struct MeasuredProduct {
  std::string instruction;  // "mma.sync.m16n8k16"
  std::string type;         // "fp16", "bf16"
  int64_t outputs = 0;      // of random fragments, compared bit for bit
  int64_t agree = 0;        // with the rule, computed in integers
  int64_t fragments = 0;    // compared with the simulator in this arithmetic
  int64_t fragments_agree = 0;
};

struct HardwareProfile {
  std::string name;  // of the file
  std::vector<std::string> devices;
  std::string driver, toolkit, date, commit;
  std::string source;  // what measured it
  // A group of the matrix unit, as in oddtile_profile.
  int mma_products = 0;
  int mma_fraction_bits = 0;
  bool mma_rounds = false;
  std::vector<MeasuredProduct> products;
  MeasuredFunction exp2, log2, reciprocal, division;

  // As the field of oddtile_profile: relative, or absolute where |log2| < 1.
  double log2_error() const;
};

// nullptr where there is none of this name, or of this device as its driver names it.
const HardwareProfile* hardware_profile(std::string_view name);
const HardwareProfile* hardware_of_device(std::string_view device);
std::vector<std::string> hardware_names();

std::string to_json(const HardwareProfile& profile);
// Throws std::runtime_error with one line for text that is no such profile.
HardwareProfile parse_hardware(const std::string& json);

// What the bounds use: the declared profile, with the measured number wherever it is smaller. Only
// where the kernel says that its arithmetic is the machine's (machine_arithmetic); and a number
// above its ceiling stays, so that it is refused.
oddtile_profile sharpened(const oddtile_profile& declared, const HardwareProfile* hardware);

}  // namespace oddtile::oracles
