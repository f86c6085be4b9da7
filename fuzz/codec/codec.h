// Bytes <-> case, for fuzzing. Every byte string is a possible, small case; every field of fields.h
// owns a fixed slot of bytes, so a mutation of one byte changes one field. Missing bytes are 0, and
// a slot of zeros is the simplest value: the empty string is the plain case.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "oracles/case/case.h"

namespace oddtile::fuzz {

// What one execution may cost, as oracles::work_of counts: a fuzzer lives from its rate.
inline constexpr int64_t kFuzzWork = 1'000'000;

oracles::Case decode(oddtile_kernel kernel, std::span<const uint8_t> bytes);

// Whether the fuzzer can make exactly this case; then decode(kernel, encode(c)) == c.
bool in_fuzz_range(const oracles::Case& subject);

// The bytes of a case; fields outside the fuzz range come out clamped.
std::vector<uint8_t> encode(const oracles::Case& subject);

// Bytes that decode reads; more have no effect.
int64_t encoded_bytes(oddtile_kernel kernel);

}  // namespace oddtile::fuzz
