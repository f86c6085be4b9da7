#include <fmt/format.h>
#include <gtest/gtest.h>

#include "properties/suites/suite.h"

namespace oddtile::properties {
namespace {

class BadArguments : public testing::TestWithParam<oddtile_kernel> {};

TEST_P(BadArguments, give_their_status_and_touch_nothing) {
  for (const std::string& line :
       check_bad_arguments(GetParam(), suite_implementation(), suite_machine())) {
    ADD_FAILURE() << line;
  }
}

INSTANTIATE_TEST_SUITE_P(every_kernel, BadArguments,
                         testing::Values(oddtile_kernel_vector_add, oddtile_kernel_softmax,
                                         oddtile_kernel_attention),
                         [](const auto& info) {
                           return std::string(oracles::kernel_name(info.param));
                         });

}  // namespace
}  // namespace oddtile::properties
