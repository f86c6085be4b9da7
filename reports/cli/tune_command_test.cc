// What `oddtile tune` refuses before it touches a device.
#include <gtest/gtest.h>

#include "reports/cli/commands.h"
#include "reports/measure/by_name.h"

namespace oddtile::reports {
namespace {

TEST(TuneCommand, TheSimulatorHasNoClock) {
  EXPECT_THROW(tune_command({.cases = {"softmax columns=3"}, .machine = "sim"}), WrongUse);
}

TEST(TuneCommand, UnknownMachines) {
  EXPECT_THROW(tune_command({.cases = {"softmax columns=3"}, .machine = "tpu"}), WrongUse);
}

}  // namespace
}  // namespace oddtile::reports
