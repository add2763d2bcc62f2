// Fields of events, and of everything in the cluster, are in ascending order.
#include "field_order.h"

#include <gtest/gtest.h>

#include "model/accounts/accounting_record.h"
#include "state/event.h"

namespace muster {
namespace {

using test::FieldOrder;

TEST(FieldOrder, OfAllThatIsStoredAscends) {
  EXPECT_EQ(FieldOrder::wrong_in<EventEntry>(), std::vector<std::string>{});
  EXPECT_EQ(FieldOrder::wrong_in<Job>(), std::vector<std::string>{});
  EXPECT_EQ(FieldOrder::wrong_in<Node>(), std::vector<std::string>{});
  EXPECT_EQ(FieldOrder::wrong_in<JobRecord>(), std::vector<std::string>{});
  EXPECT_EQ(FieldOrder::wrong_in<StepRecord>(), std::vector<std::string>{});
  EXPECT_GT(FieldOrder::structs_in<EventEntry>(), 40u);
}

}  // namespace
}  // namespace muster
