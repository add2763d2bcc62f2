// Connections for one request: the answer is the last thing that is sent.
#include "io/net_fixture.h"

namespace muster::io {
namespace {

// Answers "x" with `size` bytes and then ends the connection.
class OnceServer {
 public:
  explicit OnceServer(std::size_t size, bool from_another_thread = false) {
    auto answer = [this, size](ConnectionId id) {
      server->send(id, std::string(size, 'x'));
      server->finish(id);
    };
    auto listening =
        Server::listen(loop, {.unix_path = folder / "socket", .server_name = "once"},
                       {.on_open = {},
                        .on_frame =
                            [this, answer, from_another_thread](ConnectionId id, std::string) {
                              if (from_another_thread)
                                loop.run_blocking([answer, id] { answer(id); });
                              else
                                answer(id);
                            },
                        .on_close = [this](ConnectionId id) { closed.put(id); }});
    EXPECT_TRUE(listening) << listening.error().text();
    server = std::move(*listening);
  }
  ~OnceServer() { loop.stop_blocking(); }

  Channel client() const {
    auto channel = Channel::connect(
        {.unix_path = folder / "socket", .server_uid = Uid{::geteuid()}}, kPatience);
    EXPECT_TRUE(channel) << channel.error().text();
    return std::move(*channel);
  }

  TemporaryFolder folder;
  Mailbox<ConnectionId> closed;
  Loop loop;
  std::unique_ptr<Server> server;
};

void expect_one_answer(OnceServer& once, std::size_t size) {
  Channel client = once.client();
  EXPECT_EQ(call(client, "question").size(), size);
  EXPECT_EQ(once.closed.take(), 1u);  // although the client has not closed
  auto more = client.receive(kPatience);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, ErrorCode::zero_bytes);
  EXPECT_EQ(once.server->connections(), 0u);
}

TEST(Finish, TheAnswerArrivesAndTheConnectionIsGone) {
  OnceServer once(10);
  expect_one_answer(once, 10);
}

TEST(Finish, AnAnswerLargerThanTheSocketsBufferArrivesWhole) {
  OnceServer once(8 << 20);
  expect_one_answer(once, 8 << 20);
}

TEST(Finish, AnotherThreadMayGiveTheAnswer) {
  OnceServer once(10, true);
  expect_one_answer(once, 10);
}

// The system watches a connection only if it survives the round in which it came.
TEST(Finish, AConnectionThatGoesOnIsHeardAgain) {
  EchoServer echo;
  Channel client = echo.client();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(call(client, "again"), "echo again");
}

TEST(Finish, APeerThatLeavesAtOnceIsForgotten) {
  EchoServer echo;
  for (int i = 0; i < 100; ++i) {
    const int fd = raw_unix(echo.options_.unix_path);
    ASSERT_GE(fd, 0);
    ::close(fd);
  }
  EXPECT_TRUE(eventually([&] { return echo.server->connections() == 0; }));
  Channel client = echo.client();
  EXPECT_EQ(call(client, "still there"), "echo still there");
}

}  // namespace
}  // namespace muster::io
