// The fields of StepSetup, which starts a slurmstepd, are in ascending order.
#include "field_order.h"

#include "wire/step_setup.h"

namespace muster {
namespace {

TEST(FieldOrder, OfWhatAStepIsStartedWithAscends) {
  EXPECT_EQ(test::FieldOrder::wrong_in<StepSetup>(), std::vector<std::string>{});
}

}  // namespace
}  // namespace muster
