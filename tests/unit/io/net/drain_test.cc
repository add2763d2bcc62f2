// A loop that drains: requests that arrive together are answered together.
#include <future>

#include "io/net_fixture.h"

namespace muster::io {
namespace {

// When the loop has drained, answers each frame with the number of frames collected so far.
class CollectingServer {
 public:
  CollectingServer() {
    std::promise<void> listens;
    loop.post([&] {
      ServerOptions options;
      options.unix_path = folder_ / "socket";
      options.use_munge = false;
      options.server_name = "collector";
      auto listening = Server::listen(loop, options,
                                      {.on_open = {},
                                       .on_frame =
                                           [this](ConnectionId id, std::string frame) {
                                             if (frame == "wait") may_go_on.get_future().wait();
                                             waiting_.emplace_back(id);
                                           },
                                       .on_close = {}});
      ASSERT_TRUE(listening) << listening.error().text();
      server_ = std::move(*listening);
      listens.set_value();
    });
    listens.get_future().wait();
  }
  ~CollectingServer() {
    std::promise<void> last;
    loop.post([&] { last.set_value(); });
    last.get_future().wait();
    server_.reset();
  }
  Channel client() const {
    auto channel = Channel::connect(
        {.unix_path = folder_ / "socket", .server_uid = Uid{::geteuid()}}, kPatience);
    EXPECT_TRUE(channel) << channel.error().text();
    return std::move(*channel);
  }

  std::promise<void> may_go_on;

 private:
  void answer_all() {
    const std::vector<ConnectionId> all = std::exchange(waiting_, {});
    for (const ConnectionId id : all) server_->send(id, std::to_string(all.size()));
  }

  TemporaryFolder folder_;
  std::vector<ConnectionId> waiting_;  // used on the loop
  std::unique_ptr<Server> server_;

 public:
  Loop loop{[this] { answer_all(); }};
};

TEST(Drain, AFrameAloneIsAnsweredAtOnce) {
  CollectingServer server;
  Channel client = server.client();
  EXPECT_EQ(call(client, "a"), "1");
  EXPECT_EQ(call(client, "b"), "1");
}

TEST(Drain, FramesReadyTogetherAreAnsweredTogether) {
  CollectingServer server;
  Channel first = server.client(), second = server.client(), third = server.client();
  for (Channel* client : {&first, &second, &third}) EXPECT_EQ(call(*client, "hello"), "1");
  ASSERT_TRUE(first.send("wait"));  // the others send while the loop is busy
  ASSERT_TRUE(second.send("a"));
  ASSERT_TRUE(third.send("b"));
  ASSERT_TRUE(third.send("c"));
  server.may_go_on.set_value();
  // Either all in one round, or the first one alone and then the rest.
  const std::string answer = first.receive(kPatience).value_or("nothing");
  ASSERT_TRUE(answer == "4" || answer == "1") << answer;
  for (Channel* client : {&second, &third, &third})
    EXPECT_EQ(client->receive(kPatience).value_or("nothing"), answer == "4" ? "4" : "3");
}

TEST(Drain, OtherThreadsSendAtOnce) {
  std::promise<ConnectionId> came;
  std::promise<void> is_busy, may_end;  // declared before the loop, which uses them to its end
  TemporaryFolder folder;
  Loop loop([] {});
  auto server = Server::listen(
      loop, {.unix_path = folder / "socket", .use_munge = false, .server_name = "test"},
      {.on_open = {},
       .on_frame = [&](ConnectionId id, std::string) { came.set_value(id); },
       .on_close = {}});
  ASSERT_TRUE(server) << server.error().text();
  auto client =
      Channel::connect({.unix_path = folder / "socket", .server_uid = Uid{::geteuid()}}, kPatience);
  ASSERT_TRUE(client) << client.error().text();
  ASSERT_TRUE(client->send("a"));
  const ConnectionId id = came.get_future().get();
  loop.post([&] {
    is_busy.set_value();
    may_end.get_future().wait();
  });
  is_busy.get_future().wait();
  (*server)->send(id, "from elsewhere");
  EXPECT_EQ(client->receive(kPatience).value_or("nothing"), "from elsewhere");
  may_end.set_value();
}

}  // namespace
}  // namespace muster::io
