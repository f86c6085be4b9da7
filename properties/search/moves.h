// What a hill climb may do to a case and to the numbers that it stores.
#pragma once

#include "kernels/base/random.h"
#include "oracles/case/workload.h"
#include "properties/search/state.h"

namespace oddtile::properties {

// A small case of the kernel: one to four rows, few keys or columns, no mask; cheap to run often.
oracles::Case small_case(const Cell& cell, Random& random);

// One or two fields of a small case drawn anew.
oracles::Case neighbour(const oracles::Case& subject, Random& random);

// One to three moves on the inputs of floating-point type: single numbers, a row or a whole tensor
// get other last bits, another size or sign, or the value of a neighbour.
void change_numbers(oracles::Workload& workload, Random& random);

}  // namespace oddtile::properties
