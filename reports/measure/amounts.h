// What a case is called in a report, and what any implementation must at least do for it.
#pragma once

#include <cstdint>
#include <string>

#include "oracles/case/workload.h"

namespace oddtile::reports {

std::string dtype_name(const oracles::Case& subject);
std::string family(const oracles::Case& subject);  // of values: "last_max", "peaked/coded"
std::string series(const oracles::Case& subject);  // the curve it is a point of
int64_t size(const oracles::Case& subject);        // n, columns or seq_k

// False for attention with a byte mask or key lengths that may hide something: flops() and
// least_traffic() look at the band alone, so no rate may be made of them.
bool counts_all_hidden(const oracles::Case& subject);

// Floating-point operations: attention 4 * head_dim per visible pair (the band counts, the byte
// mask does not), softmax 5 and vector add 1 per element.
int64_t flops(const oracles::Case& subject);

// Bytes of one set of tensors, paddings aside.
int64_t data_bytes(const oracles::Case& subject);

int64_t output_bytes(const oracles::Case& subject);  // the outputs' part

struct Traffic {
  int64_t read = 0;
  int64_t written = 0;
  int64_t total() const { return read + written; }
};

// Every input that can have an influence read once, every output written once. `granule`: bytes
// that move as one (1: what a kernel must ask for; 32: the sectors that a GPU's memory moves, the
// smallest unit that masked elements can save).
Traffic least_traffic(const oracles::Workload& workload, int64_t granule);

}  // namespace oddtile::reports
