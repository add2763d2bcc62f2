// A connection that one process accepts and another continues.
#include "base/codec/codec.h"
#include "io/net_fixture.h"

namespace muster::io {
namespace {

// Takes every connection that says "step" out of the server, as slurmd does for slurmstepd.
class Handover {
 public:
  explicit Handover(ServerOptions options) : folder() {
    options.unix_path = folder / "socket";
    options.munge_decoder_uid = Uid{::geteuid()};
    server = Server::listen(loop, options,
                            {.on_open = {},
                             .on_frame =
                                 [this](ConnectionId id, std::string frame) {
                                   if (frame != "step") return server->send(id, "first");
                                   server->send(id, "handed over");
                                   released.put(server->release(id));
                                 },
                             .on_close = [this](ConnectionId id) { closed.put(id); }})
                 .value();
  }
  TemporaryFolder folder;
  Mailbox<std::pair<int, SessionState>> released;
  Mailbox<ConnectionId> closed;
  Loop loop;
  std::unique_ptr<Server> server;
};

void go_on_elsewhere(Handover& handover, Channel client) {
  ASSERT_EQ(call(client, "hello"), "first");
  // The server has read what follows "step" in the same write, but the step must answer it.
  client.queue("step");
  client.queue("for the step");
  ASSERT_TRUE(client.try_flush());
  auto released = handover.released.take();
  ASSERT_TRUE(released);
  ASSERT_GE(released->first, 0);

  // As if through a socket to another process: the state travels as bytes.
  Channel step(released->first, decode<SessionState>(encode(released->second)).value());
  auto frame = step.receive(kPatience);
  ASSERT_TRUE(frame) << frame.error().text();
  EXPECT_EQ(*frame, "for the step");
  EXPECT_EQ(step.peer_uid(), Uid{::geteuid()});
  ASSERT_TRUE(step.send("from the step"));
  EXPECT_EQ(client.receive(kPatience).value_or("nothing"), "handed over");
  EXPECT_EQ(client.receive(kPatience).value_or("nothing"), "from the step");
  ASSERT_TRUE(client.send("more"));
  EXPECT_EQ(step.receive(kPatience).value_or("nothing"), "more");
  EXPECT_EQ(handover.server->connections(), 0u);
  EXPECT_FALSE(handover.closed.take(Millis{0})) << "on_close was called";
}

TEST(Release, APlainConnectionGoesOnElsewhere) {
  Handover handover({});
  auto client = Channel::connect({.unix_path = handover.folder / "socket"}, kPatience);
  ASSERT_TRUE(client);
  go_on_elsewhere(handover, std::move(*client));
}

TEST(Release, ASealedConnectionGoesOnElsewhere) {
  if (!has_munge()) GTEST_SKIP() << "no munge daemon answers here";
  Handover handover({.bind_address = "127.0.0.1", .any_port = true});
  auto client = Channel::connect(
      {.host = "127.0.0.1", .port = handover.server->port(), .server_uid = Uid{::geteuid()}},
      kPatience);
  ASSERT_TRUE(client) << client.error().text();
  go_on_elsewhere(handover, std::move(*client));
}

}  // namespace
}  // namespace muster::io
