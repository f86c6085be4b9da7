#include "properties/tidy/functions.h"

#include <gtest/gtest.h>

namespace oddtile::tidy {
namespace {

std::vector<Function> functions(const std::string& text) {
  return functions_of(make_file("a.cc", text));
}

TEST(Functions, are_found_in_namespaces_and_types) {
  const auto found = functions(
      "namespace a {\n"
      "int one() {\n"
      "  return 1;\n"
      "}\n"
      "struct S {\n"
      "  S() : x(0) {}\n"
      "  template <class T = int>\n"
      "  void two(T t) const {\n"
      "    if (t) {\n"
      "    }\n"
      "  }\n"
      "  int x;\n"
      "};\n"
      "}\n");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].first_line, 2);
  EXPECT_EQ(found[0].last_line, 4);
  EXPECT_EQ(found[2].first_line, 7);
  EXPECT_EQ(found[2].last_line, 11);
}

TEST(Functions, are_not_tables_types_or_namespaces) {
  EXPECT_TRUE(functions("constexpr int kSizes[f(2)] = {\n1,\n2};\n").empty());
  EXPECT_TRUE(functions("template <class T>\nstruct alignas(16) V {\n  T x;\n};\n").empty());
  EXPECT_TRUE(functions("enum class E : int {\nkA,\n};\nextern \"C\" {\nint f();\n}\n").empty());
}

TEST(Functions, are_not_confused_by_comments_and_literals) {
  const auto found = functions(
      "void f() {  // {{{\n"
      "  g(\"}}}\", '}', 1'000, R\"x(\n"
      "}}})x\");\n"
      "  /* }\n"
      "  } */\n"
      "}\n"
      "#define X { \\\n"
      "  {\n"
      "void h() {}\n");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].last_line, 6);
  EXPECT_EQ(found[1].first_line, 9);
}

TEST(CodeOnly, keeps_lines_and_columns) {
  const std::vector<std::string> code = code_only({"int x = 'a';  // b", "\"s\" + y"});
  EXPECT_EQ(code[0], "int x =    ;      ");
  EXPECT_EQ(code[1], "    + y");
}

}  // namespace
}  // namespace oddtile::tidy
