#include <gtest/gtest.h>

#include "properties/gen/gen.h"
#include "properties/suites/suite.h"

namespace oddtile::properties {

TEST(vector_add, every_case_holds) {
  every_case_holds(any_vector_add(suite_scale()));
}
TEST(replay, every_file_holds) {
  every_file_holds();
}

}  // namespace oddtile::properties
