// What `oddtile tune` refuses before it touches a device.
#include <gtest/gtest.h>

#include "reports/cli/commands.h"
#include "reports/measure/by_name.h"

namespace oddtile::reports {
namespace {

TEST(TuneCommand, TheSimulatorHasNoClock) {
  EXPECT_THROW(tune_command({.cases = {"softmax columns=3"}, .machine = "sim"}), WrongUse);
}

TEST(TuneCommand, ALargeCaseIsNotRefusedForTheHostsMemory) {
  try {
    tune_command({.cases = {"vector_add n=200000000000"}, .machine = "sim"});
    ADD_FAILURE() << "the simulator has no clock";
  } catch (const WrongUse& wrong) {
    EXPECT_NE(std::string(wrong.what()).find("cannot time"), std::string::npos) << wrong.what();
  }
}

TEST(TuneCommand, UnknownMachines) {
  EXPECT_THROW(tune_command({.cases = {"softmax columns=3"}, .machine = "tpu"}), WrongUse);
}

}  // namespace
}  // namespace oddtile::reports
