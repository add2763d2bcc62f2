// Orders for a node, in messages of a bounded size.
#include "slurmctld/orders.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/codec/codec.h"
#include "wire/parts.h"

namespace muster::daemon {
namespace {

// Keeps what is sent.
class FakeServer final : public io::Server {
 public:
  void send(io::ConnectionId to, std::string frame) override {
    EXPECT_EQ(to, 7u);
    auto batch = decode<wire::OrderBatch>(frame);
    ASSERT_TRUE(batch);
    EXPECT_EQ(batch->epoch, Epoch{3});
    sizes.push_back(frame.size());
    batches.push_back(std::move(*batch));
  }
  std::optional<std::size_t> unsent_bytes(io::ConnectionId) const override { return 0; }
  void close(io::ConnectionId) override {}
  void pause(io::ConnectionId) override {}
  void resume(io::ConnectionId) override {}
  bool is_open(io::ConnectionId) const override { return true; }
  bool may_answer(Uid) const override { return true; }
  void set_max_user_connections(std::size_t) override {}
  void finish(io::ConnectionId) override {}
  std::pair<int, io::SessionState> release(io::ConnectionId) override { return {-1, {}}; }
  void stop_listening() override {}
  std::uint16_t port() const override { return 0; }
  std::size_t connections() const override { return 1; }

  std::vector<wire::OrderBatch> batches;
  std::vector<std::size_t> sizes;
};

wire::LaunchOrder launch_of(std::uint32_t job, std::size_t script_bytes) {
  wire::LaunchOrder order;
  order.launch.ref = {JobId{job}, Attempt{1}, kBatchStep};
  order.launch.script = std::string(script_bytes, 'x');
  return order;
}

TEST(OrderBatchWriter, SendsShortOrdersTogetherAndInTheirOrder) {
  FakeServer server;
  OrderBatchWriter writer(server, 7, Epoch{3});
  for (std::uint32_t job : {1u, 2u, 3u}) writer.add(launch_of(job, 10));
  EXPECT_TRUE(server.batches.empty()) << "until it is told to";
  writer.flush();
  ASSERT_EQ(server.batches.size(), 1u);
  ASSERT_EQ(server.batches[0].orders.size(), 3u);
  EXPECT_EQ(std::get<wire::LaunchOrder>(server.batches[0].orders[2]).launch.ref.job, JobId{3});
}

TEST(OrderBatchWriter, BeginsANewMessageForWhatWouldMakeOneTooLong) {
  FakeServer server;
  OrderBatchWriter writer(server, 7, Epoch{3});
  for (std::uint32_t job : {1u, 2u, 3u}) writer.add(launch_of(job, wire::kPartBytes / 2));
  writer.flush();
  EXPECT_GT(server.batches.size(), 1u);
  std::size_t orders = 0;
  for (const wire::OrderBatch& batch : server.batches) orders += batch.orders.size();
  EXPECT_EQ(orders, 3u);
}

TEST(OrderBatchWriter, SendsALongOrderAlone) {
  FakeServer server;
  OrderBatchWriter writer(server, 7, Epoch{3});
  writer.add(launch_of(1, 10));
  writer.add(launch_of(2, 3 * wire::kPartBytes));
  writer.add(launch_of(3, 10));
  writer.flush();
  ASSERT_EQ(server.batches.size(), 3u);
  EXPECT_GT(server.sizes[1], 3 * wire::kPartBytes);
}

TEST(OrderBatchWriter, HasNothingToSendTwice) {
  FakeServer server;
  OrderBatchWriter writer(server, 7, Epoch{3});
  writer.flush();
  writer.add(launch_of(1, 10));
  writer.flush();
  writer.flush();
  EXPECT_EQ(server.batches.size(), 1u);
}

}  // namespace
}  // namespace muster::daemon
