// A bf16 matrix product through cuBLAS, found at run time: the ceiling that attention's rate is
// shown against. The library is opened, not linked, so that nothing needs it to be installed.
#pragma once

#include <memory>
#include <string>

#include "properties/harness/harness.h"

namespace oddtile::reports {

class MatrixProduct {
 public:
  // nullptr and a reason where there is no cuBLAS, or no memory.
  static std::unique_ptr<MatrixProduct> make(properties::Machine& machine, int64_t side,
                                             std::string* reason);
  virtual ~MatrixProduct() = default;
  virtual oddtile_status launch() = 0;
};

}  // namespace oddtile::reports
