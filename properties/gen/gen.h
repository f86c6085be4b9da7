// RapidCheck generators of cases, with integrated shrinking of the case's own fields.
//
//   rc::check("...", [] { const auto subject = *any_attention(); ... });
//
// Every generated and every shrunk case is possible.
#pragma once

#include <rapidcheck.h>

#include <iosfwd>

#include "oracles/case/case.h"

namespace oddtile::oracles {

// How RapidCheck shows a case: as its text, which `oddtile run` takes.
void showValue(const Case& subject, std::ostream& out);

}  // namespace oddtile::oracles

namespace oddtile::properties {

// simulator: one run takes milliseconds; device: a run that keeps a GPU busy for a moment.
enum class Scale { simulator, device };

rc::Gen<oracles::Case> any_vector_add(Scale scale = Scale::simulator);
rc::Gen<oracles::Case> any_softmax(Scale scale = Scale::simulator);
rc::Gen<oracles::Case> any_attention(Scale scale = Scale::simulator);
rc::Gen<oracles::Case> any_case(oddtile_kernel kernel, Scale scale = Scale::simulator);

}  // namespace oddtile::properties
