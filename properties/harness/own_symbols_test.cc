#include "properties/harness/own_symbols.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "properties/harness/harness.h"

namespace oddtile::properties {
namespace {

// EXAMPLE_PLUGIN, and PLUGIN_FIXTURE and PLUGIN_FIXTURE_AGAIN, both of plugin_fixture.cc.
void* loaded(const char* path) {
  load_plugin(path, nullptr);  // or refused, and then it stays loaded
  return dlopen(path, RTLD_NOW | RTLD_NOLOAD);
}

TEST(OwnSymbols, TheSecondLibraryGetsTheFirstOnesUniqueSymbol) {
  void* first = loaded(PLUGIN_FIXTURE);
  void* second = loaded(PLUGIN_FIXTURE_AGAIN);
  ASSERT_TRUE(first != nullptr && second != nullptr && first != second);
  EXPECT_EQ(symbol_of_another(first), "");
  EXPECT_EQ(symbol_of_another(second).find("oddtile::one_place<std::vector<int"), 0u)
      << symbol_of_another(second);
}

TEST(OwnSymbols, ALibraryWithoutSuchSymbols) {
  void* library = loaded(EXAMPLE_PLUGIN);
  ASSERT_NE(library, nullptr);
  EXPECT_EQ(symbol_of_another(library), "");
}

}  // namespace
}  // namespace oddtile::properties
