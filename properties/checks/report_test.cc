#include "properties/checks/report.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace oddtile::properties {
namespace {

const oddtile_implementation& fused() {
  return *sim_machine().implementations()[0];
}

TEST(report, replay_line_names_what_is_not_the_default) {
  const oracles::Case subject = {oracles::VectorAddCase{.n = 3}};
  EXPECT_EQ(replay_line(subject, fused(), sim_machine()), "oddtile run 'vector_add n=3'");
  EXPECT_EQ(replay_line(subject, *sim_machine().implementations()[1], sim_machine()),
            "oddtile run 'vector_add n=3' --implementation eager");
}

TEST(report, replay_line_names_the_simulators_arithmetic) {
  sim_machine().imitate(oracles::hardware_profile("nvidia-h200"));
  EXPECT_EQ(replay_line({oracles::VectorAddCase{.n = 3}}, fused(), sim_machine()),
            "oddtile run 'vector_add n=3' --arithmetic nvidia-h200");
  sim_machine().imitate(nullptr);
}

TEST(report, replay_line_says_when_the_command_line_has_no_such_table) {
  const oddtile_implementation stranger = fused();  // even under the name "fused"
  EXPECT_EQ(replay_line({oracles::VectorAddCase{.n = 3}}, stranger, sim_machine()),
            "case 'vector_add n=3': fused is not reachable from the command line");
}

// EXAMPLE_PLUGIN is the path of the example, from CMake.
TEST(report, replay_line_loads_the_plugin) {
  const oddtile_implementation* plugin = load_plugin(EXAMPLE_PLUGIN, nullptr);
  ASSERT_NE(plugin, nullptr);
  const std::string line = replay_line({oracles::SoftmaxCase{}}, *plugin, sim_machine());
  EXPECT_EQ(line.find("oddtile run 'softmax rows=1 columns=1' --plugin "), 0u) << line;
  EXPECT_NE(line.find(EXAMPLE_PLUGIN), std::string::npos) << line;  // quoted where it has a space
}

TEST(report, replay_line_quotes_a_path_for_the_shell) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "oddtile's plug-in";
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "copy.so").string();
  std::filesystem::copy_file(EXAMPLE_PLUGIN, path,
                             std::filesystem::copy_options::overwrite_existing);
  const oddtile_implementation* plugin = load_plugin(path, nullptr);
  ASSERT_NE(plugin, nullptr);
  const std::string line = replay_line({oracles::SoftmaxCase{}}, *plugin, sim_machine());
  EXPECT_NE(line.find("/oddtile'\\''s plug-in/copy.so'"), std::string::npos) << line;
  EXPECT_NE(line.find(" --plugin '"), std::string::npos) << line;
  std::filesystem::remove_all(folder);
}

TEST(report, names_the_configuration_as_a_case_asks_for_it) {
  oracles::Case subject = {oracles::SoftmaxCase{.rows = 2, .columns = 1000}};
  subject.configuration = 2;
  const Outcome outcome = run_case(subject, fused(), sim_machine());
  EXPECT_NE(outcome.configuration, 2);  // the id is another number
  const std::string text = failure_report(subject, fused(), sim_machine(), outcome, {{"wrong"}});
  const std::string name = outcome.profile.name;
  EXPECT_NE(text.find("wrong: softmax of fused on sim, config=2 (" + name + ")"), std::string::npos)
      << text;
}

TEST(report, shows_eight_lines_of_a_property_and_counts_the_rest) {
  Broken broken{"within_bound"};
  EXPECT_TRUE(broken.holds());
  for (int i = 0; i < 100; ++i) broken.add([&] { return "line " + std::to_string(i); });
  EXPECT_FALSE(broken.holds());
  const std::string text =
      failure_report({oracles::VectorAddCase{.n = 3}}, fused(), sim_machine(), Outcome{}, {broken});
  EXPECT_NE(text.find("within_bound: vector_add of fused on sim"), std::string::npos) << text;
  EXPECT_NE(text.find("  line 7\n  ... and 92 more\noddtile run 'vector_add n=3'\n"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace oddtile::properties
