#include <dlfcn.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "properties/harness/harness.h"

// The libraries of plugin_fixture.cc have a function of this name of their own.
extern "C" __attribute__((visibility("default"))) const char* oddtile_whose() {
  return "the program's";
}

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

TEST(plugin, calls_its_own_functions_where_the_program_exports_the_same_names) {
  if (dlsym(RTLD_DEFAULT, "__asan_init") != nullptr) GTEST_SKIP() << "not under a sanitizer";
  ASSERT_EQ(dlsym(RTLD_DEFAULT, "oddtile_whose"), reinterpret_cast<void*>(&oddtile_whose));
  std::string reason;
  const oddtile_implementation* plugin = load_plugin(PLUGIN_FIXTURE, &reason);
  ASSERT_NE(plugin, nullptr) << reason;
  EXPECT_STREQ(plugin->name, "the library's");
}

TEST(plugin, is_refused_where_it_would_use_what_is_another_librarys) {
  std::string reason;
  load_plugin(PLUGIN_FIXTURE, &reason);
  EXPECT_EQ(load_plugin(PLUGIN_FIXTURE_AGAIN, &reason), nullptr);
  EXPECT_NE(reason.find("another library's oddtile::one_place"), std::string::npos) << reason;
}

}  // namespace
}  // namespace oddtile::properties
