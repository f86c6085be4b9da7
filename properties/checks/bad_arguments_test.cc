// The walk, walked with tables that are careless in a known way. That our own tables are not is for
// property.bad_arguments.
#include <gtest/gtest.h>

#include <algorithm>

#include "properties/checks/checks.h"

namespace oddtile::properties {
namespace {

oddtile_implementation fused() {
  return *sim_machine().implementations()[0];
}

oddtile_status accepts_everything(const oddtile_vector_add_problem*, int32_t, void*, void*) {
  return oddtile_ok;
}

oddtile_status writes_first(const oddtile_vector_add_problem* problem, int32_t id, void* workspace,
                            void* stream) {
  static const oddtile_implementation inner = fused();
  const oddtile_status status = inner.vector_add(problem, id, workspace, stream);
  if (status == oddtile_bad_shape) *static_cast<float*>(problem->out) = 1;
  return status;
}

bool has_line_with(const std::vector<std::string>& lines, const std::string& text) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.find(text) != std::string::npos; });
}

TEST(bad_arguments, notices_what_is_accepted) {
  oddtile_implementation careless = fused();
  careless.vector_add = accepts_everything;
  const auto lines = check_bad_arguments(oddtile_kernel_vector_add, careless, sim_machine());
  EXPECT_GE(lines.size(), 15u);
  for (const char* text : {"x null gives status 0", "n = -1 gives", "out one element behind x",
                           "y off by two bytes", "configuration id -7"}) {
    EXPECT_TRUE(has_line_with(lines, text)) << text;
  }
}

TEST(bad_arguments, notices_memory_that_changed) {
  oddtile_implementation careless = fused();
  careless.vector_add = writes_first;
  const auto lines = check_bad_arguments(oddtile_kernel_vector_add, careless, sim_machine());
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(has_line_with(lines, "n = -1 is answered, but memory has changed"));
}

TEST(bad_arguments, notices_a_kernel_that_is_not_offered) {
  oddtile_implementation nothing = fused();
  nothing.configurations = [](const oddtile_problem*, int32_t*, int32_t) { return 0; };
  const auto lines = check_bad_arguments(oddtile_kernel_softmax, nothing, sim_machine());
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(has_line_with(lines, "the good problem is not offered"));
}

}  // namespace
}  // namespace oddtile::properties
