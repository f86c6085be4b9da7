#include "properties/search/moves.h"

#include <gtest/gtest.h>

#include <set>

#include "oracles/case/text.h"

namespace oddtile::properties {
namespace {

TEST(moves, cases_and_their_neighbours_are_possible_small_and_of_the_cell) {
  Random random(1);
  for (const Cell& cell : all_cells()) {
    std::set<std::string> texts;
    for (int i = 0; i < 100; ++i) {
      oracles::Case subject = small_case(cell, random);
      for (int step = 0; step < 5; ++step) {
        EXPECT_EQ(oracles::impossible(subject), "");
        EXPECT_EQ(subject.kernel(), cell.kernel);
        texts.insert(oracles::print(subject));
        subject = neighbour(subject, random);
      }
    }
    EXPECT_GT(texts.size(), 400u) << cell_name(cell);
  }
}

TEST(moves, change_inputs_and_nothing_else) {
  Random random(2);
  int changed = 0;
  for (const Cell& cell : all_cells()) {
    for (int i = 0; i < 50; ++i) {
      const oracles::Workload before =
          oracles::materialise(small_case(cell, random), oracles::Poison::nan);
      oracles::Workload after = before;
      change_numbers(after, random);
      for (size_t t = 0; t < before.tensors.size(); ++t) {
        const bool same = before.tensors[t].bytes == after.tensors[t].bytes;
        changed += !same;
        EXPECT_TRUE(same || !before.tensors[t].is_output);
        // Poison behind the data stays where it is.
        const oracles::Tensor& tensor = before.tensors[t];
        if (tensor.count() == 0 || tensor.is_output) continue;
        EXPECT_EQ(tensor.bytes.back(), after.tensors[t].bytes.back());
      }
    }
  }
  EXPECT_GT(changed, 200);
}

}  // namespace
}  // namespace oddtile::properties
