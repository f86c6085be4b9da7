#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "properties/harness/harness.h"

namespace oddtile::properties {
namespace {

// EXAMPLE_PLUGIN is the path of the example, from CMake; property.plugin.sim runs it.
TEST(plugin, is_loaded) {
  std::string reason;
  const oddtile_implementation* plugin = load_plugin(EXAMPLE_PLUGIN, &reason);
  ASSERT_NE(plugin, nullptr) << reason;
  EXPECT_STREQ(plugin->name, "example");
  EXPECT_EQ(plugin_path(*plugin), std::filesystem::absolute(EXAMPLE_PLUGIN).string());
  EXPECT_EQ(plugin_path(*sim_machine().implementations()[0]), "");
}

TEST(plugin, says_why_it_cannot_be_loaded) {
  std::string reason;
  EXPECT_EQ(load_plugin("/nonexistent/plugin.so", &reason), nullptr);
  EXPECT_EQ(reason, "plug-in /nonexistent/plugin.so does not exist");
  const std::string text = testing::TempDir() + "no_library.so";
  std::ofstream(text) << "text";
  EXPECT_EQ(load_plugin(text, &reason), nullptr);
  EXPECT_NE(reason.find("cannot be loaded"), std::string::npos) << reason;
  EXPECT_EQ(reason.find('\n'), std::string::npos) << reason;
}

}  // namespace
}  // namespace oddtile::properties
