// Fields of messages are in ascending order.
#include "field_order.h"

#include <gtest/gtest.h>

#include "wire/client_messages.h"
#include "wire/node_messages.h"
#include "wire/step_messages.h"

namespace muster::wire {
namespace {

using test::FieldOrder;
using None = std::vector<std::string>;

struct Disordered {
  int a = 0, b = 0;
  template <class V>
  void fields(V& v) {
    v(2, a);
    v(1, b);
  }
};
struct Outer {
  std::vector<std::optional<Disordered>> list;
  template <class V>
  void fields(V& v) {
    v(1, list);
  }
};

TEST(FieldOrder, FindsAStructThatIsOutOfOrder) {
  EXPECT_EQ(FieldOrder::wrong_in<Outer>().size(), 1u);
}

TEST(FieldOrder, OfAllMessagesAscends) {
  EXPECT_EQ(FieldOrder::wrong_in<RequestFrame>(), None{});
  EXPECT_EQ(FieldOrder::wrong_in<ReplyFrame>(), None{});
  EXPECT_EQ(FieldOrder::wrong_in<OrderBatch>(), None{});
  EXPECT_EQ(FieldOrder::wrong_in<ReportBatch>(), None{});
  EXPECT_EQ(FieldOrder::wrong_in<NodeCall>(), None{});
  EXPECT_EQ(FieldOrder::wrong_in<ToStepFrame>(), None{});
  EXPECT_EQ(FieldOrder::wrong_in<FromStepFrame>(), None{});
  EXPECT_GT(FieldOrder::structs_in<RequestFrame>(), 25u);
}

}  // namespace
}  // namespace muster::wire
