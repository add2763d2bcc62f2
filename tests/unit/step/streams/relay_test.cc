// The nodes below a node of a wide step, and how frames pass through it.
#include "step/streams/relay.h"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "io/loop/loop.h"
#include "io/net/handshake.h"
#include "io/net/server.h"
#include "io/net_fixture.h"
#include "step/streams/fixture.h"

namespace muster::step {
namespace {

// The slurmd of one node; it keeps what it receives.
class Node {
 public:
  Node(const io::TemporaryFolder& folder, const std::string& name) {
    io::ServerOptions options;
    options.unix_path = folder / ("slurmd." + name + ".sock");
    options.use_munge = false;
    options.server_name = io::node_server_name(name);
    auto listening = io::Server::listen(loop_, options,
                                        {.on_open = [](io::ConnectionId, const io::Peer&) {},
                                         .on_frame =
                                             [this](io::ConnectionId id, std::string frame) {
                                               last_ = id;
                                               frames.put(std::move(frame));
                                             },
                                         .on_close = [](io::ConnectionId) {}});
    EXPECT_TRUE(listening) << listening.error().text();
    server_ = std::move(*listening);
  }
  void send(const wire::FromStep& message, std::uint32_t place) {
    server_->send(last_, encode(wire::FromStepFrame{message, place}));
  }
  void hang_up() { server_->close(last_); }

  io::Mailbox<std::string> frames;

 private:
  std::atomic<io::ConnectionId> last_{0};
  io::Loop loop_;
  std::unique_ptr<io::Server> server_;
};

struct Tree {
  Tree() : setup(setup_of({0})) {
    setup.access = {.socket_dir = (folder / ""),
                    .use_munge = false,
                    .munge_socket = {},
                    .slurmd_user = Uid{geteuid()},
                    .timeout = Millis{1}};
    setup.tree_width = 2;
    request.key = "key";
    request.below.width = 2;
  }
  void add(std::uint32_t place, const std::string& node) {
    request.below.branches.push_back({.place = place,
                                      .node = node,
                                      .address = "127.0.0.1",
                                      .job = JobId{7},
                                      .attempt = Attempt{1},
                                      .key = "key of " + node});
  }
  Relay make() {
    return {setup,
            request,
            {.send = [this](std::string_view frame) { up.emplace_back(frame); },
             .has_room = [this] { return has_room; }}};
  }
  template <class Message>
  const Message* at(std::size_t i) {
    frame = *decode<wire::FromStepFrame>(up.at(i));
    return std::get_if<Message>(&frame.message);
  }

  io::TemporaryFolder folder;
  StepSetup setup;
  wire::AttachRequest request;
  std::vector<std::string> up;
  wire::FromStepFrame frame;
  bool has_room = true;
};

// Runs rounds of the relay until its node has a frame.
std::string next_frame(Relay& relay, Node& node) {
  std::optional<std::string> frame;
  run_until(relay, [&] { return (frame = node.frames.take(Millis{0})).has_value(); });
  return frame.value_or("");
}

TEST(Relay, AttachesToANodeInTheSrunsPlace) {
  Tree tree;
  Node node(tree.folder, "n2");
  tree.add(1, "n2");
  Relay relay = tree.make();
  auto call = decode<wire::NodeCall>(next_frame(relay, node));
  ASSERT_TRUE(call);
  const auto* request = std::get_if<wire::AttachRequest>(&call->call);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->place, 1u);
  EXPECT_EQ(request->key, "key of n2");
  EXPECT_TRUE(request->below.branches.empty());
}

TEST(Relay, LeavesTheRestOfARowToItsFirstNode) {
  Tree tree;
  tree.request.below.width = 1;
  Node node(tree.folder, "n2");
  tree.add(1, "n2");
  tree.add(2, "n3");
  Relay relay = tree.make();
  auto call = decode<wire::NodeCall>(next_frame(relay, node));
  ASSERT_TRUE(call);
  const auto& below = std::get<wire::AttachRequest>(call->call).below.branches;
  ASSERT_EQ(below.size(), 1u);
  EXPECT_EQ(below.front().place, 2u);
}

TEST(Relay, PassesFramesInBothDirections) {
  Tree tree;
  Node node(tree.folder, "n2");
  tree.add(1, "n2");
  Relay relay = tree.make();
  relay.pass_down("before it was connected");
  next_frame(relay, node);
  EXPECT_EQ(next_frame(relay, node), "before it was connected");
  relay.pass_down("after");
  EXPECT_EQ(next_frame(relay, node), "after");
  node.send(wire::TaskOutput{1, false, "hello"}, 1);
  ASSERT_TRUE(run_until(relay, [&] { return !tree.up.empty(); }));
  const auto* output = tree.at<wire::TaskOutput>(0);
  ASSERT_TRUE(output);
  EXPECT_EQ(output->bytes, "hello");
  EXPECT_FALSE(relay.is_done());
}

TEST(Relay, IsDoneWhenEveryNodeHasFinished) {
  Tree tree;
  Node node(tree.folder, "n2");
  tree.add(1, "n2");
  Relay relay = tree.make();
  next_frame(relay, node);
  node.send(wire::StepFinished{}, 1);
  EXPECT_TRUE(run_until(relay, [&] { return relay.is_done(); }));
  EXPECT_TRUE(tree.at<wire::StepFinished>(0));
}

TEST(Relay, TellsThatANodeIsLost) {
  Tree tree;
  Node node(tree.folder, "n2");
  tree.add(1, "n2");
  Relay relay = tree.make();
  next_frame(relay, node);
  node.hang_up();
  ASSERT_TRUE(run_until(relay, [&] { return relay.is_done(); }));
  const auto* lost = tree.at<wire::PlacesLost>(0);
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->places, std::vector<std::uint32_t>{1});
  EXPECT_FALSE(lost->never_joined);
}

TEST(Relay, TellsThatANodeCannotBeReached) {
  Tree tree;
  tree.add(1, "nobody");
  Relay relay = tree.make();
  relay.pass_down("for nobody");
  ASSERT_TRUE(run_until(relay, [&] { return relay.is_done(); }));
  const auto* lost = tree.at<wire::PlacesLost>(0);
  ASSERT_TRUE(lost);
  EXPECT_TRUE(lost->never_joined);
  EXPECT_EQ(relay.queued_bytes(), 0u);
}

TEST(Relay, ReadsNothingFromBelowWhileTheSrunHasEnough) {
  Tree tree;
  Node node(tree.folder, "n2");
  tree.add(1, "n2");
  Relay relay = tree.make();
  next_frame(relay, node);
  tree.has_room = false;
  for (int i = 0; i < 3; ++i) node.send(wire::TaskOutput{1, false, std::to_string(i)}, 1);
  relay.pass_down("a frame that shows that the node has sent");
  next_frame(relay, node);
  io::PollSet set;
  relay.watch(set);
  set.wait(0);
  EXPECT_TRUE(tree.up.empty());
  tree.has_room = true;
  ASSERT_TRUE(run_until(relay, [&] { return tree.up.size() == 3; }));
  EXPECT_EQ(tree.at<wire::TaskOutput>(2)->bytes, "2") << "in their order";
}

}  // namespace
}  // namespace muster::step
