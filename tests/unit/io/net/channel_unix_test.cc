// Channel and Server over a Unix socket.
#include <fcntl.h>
#include <sys/wait.h>

#include "base/codec/codec.h"
#include "io/net/handshake.h"
#include "io/net/server_sockets.h"
#include "io/net_fixture.h"

namespace muster::io {
namespace {

// A server that sends `first` to each client, and then whatever the test says.
class FakeServer {
 public:
  explicit FakeServer(std::string first) : fd_(listen_unix(folder_ / "socket").value()) {
    ::fcntl(fd_, F_SETFL, O_RDWR);
    thread_ = std::thread([this, first = std::move(first)] {
      const int client = ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
      if (client < 0) return;
      client_ = client;
      if (!first.empty()) say(first);
      is_closed_by_peer(client);
      ::close(client);
    });
  }
  void say(std::string_view frame) {
    Session session({}, kMaxHandshakeFrameBytes);
    session.queue(frame);
    ASSERT_TRUE(eventually([this] { return client_ >= 0; }));
    EXPECT_TRUE(session.write_to(client_));
  }
  ~FakeServer() {
    ::shutdown(fd_, SHUT_RDWR);
    thread_.join();
    ::close(fd_);
  }
  Endpoint endpoint() const { return {.unix_path = folder_ / "socket"}; }

 private:
  TemporaryFolder folder_;
  int fd_;
  std::atomic<int> client_ = -1;
  std::thread thread_;
};

TEST(ChannelOverUnix, CarriesFramesOfAnySizeBothWays) {
  EchoServer echo;
  Channel channel = echo.client();
  EXPECT_EQ(call(channel, "hello"), "echo hello");
  EXPECT_EQ(call(channel, ""), "echo ");
  const std::string large(20u << 20, 'x');
  EXPECT_EQ(call(channel, large), "echo " + large);
}

TEST(ChannelOverUnix, AFrameThatIsTooLargeFailsAndHarmsNobody) {
  EchoServer echo;
  Channel channel = echo.client();
  channel.queue(std::string(kMaxFrameBytes + 1, 'x'));
  auto flushed = channel.try_flush();
  ASSERT_FALSE(flushed);
  EXPECT_EQ(flushed.error().code, ErrorCode::too_large);
}

TEST(ChannelOverUnix, TheServerLearnsThePeersUserFromTheKernel) {
  EchoServer echo;
  Channel channel = echo.client();
  EXPECT_EQ(call(channel, "x"), "echo x");
  const auto peer = echo.opened.take();
  ASSERT_TRUE(peer);
  EXPECT_EQ(peer->uid, Uid{::geteuid()});
  EXPECT_EQ(peer->gid, Gid{::getegid()});
  EXPECT_EQ(peer->address, "unix");
  EXPECT_EQ(channel.peer_uid(), Uid{::geteuid()});
}

TEST(ChannelOverUnix, AnotherUserIsSeenAsThatUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to become another user";
  EchoServer echo;
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(2);
    auto channel = Channel::connect(echo.unix_endpoint(), kPatience);
    ::_exit(channel && channel->send("x") && channel->receive(kPatience) ? 0 : 1);
  }
  const auto peer = echo.opened.take();
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  ASSERT_TRUE(peer);
  EXPECT_EQ(peer->uid, Uid{65534});
}

TEST(ChannelOverUnix, AServerOfAnotherUserIsNotTrusted) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to become another user";
  TemporaryFolder folder;
  int ready[2];
  ASSERT_EQ(::pipe2(ready, O_CLOEXEC), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setuid(65534) != 0 || !listen_unix(folder / "socket")) ::_exit(1);
    if (::write(ready[1], "r", 1) != 1) ::_exit(1);
    ::pause();
    ::_exit(0);
  }
  char byte;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  auto channel =
      Channel::connect({.unix_path = folder / "socket", .server_uid = Uid{1234}}, kPatience);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
  ASSERT_FALSE(channel);
  EXPECT_EQ(channel.error().code, ErrorCode::access_denied);
  EXPECT_NE(channel.error().detail.find("runs as uid 65534, not 1234"), std::string::npos);
}

TEST(ChannelOverUnix, WithoutAServerTheErrorIsCommunication) {
  TemporaryFolder folder;
  auto channel = Channel::connect({.unix_path = folder / "none"}, kPatience);
  ASSERT_FALSE(channel);
  EXPECT_EQ(channel.error().code, ErrorCode::communication);
}

TEST(ChannelOverUnix, AServerThatNeverGreetsTimesOut) {
  FakeServer fake("");
  Channel channel = Channel::connect(fake.endpoint(), kPatience).value();
  auto answer = channel.receive(Millis{50});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::timed_out);
}

TEST(ChannelOverUnix, AnotherProtocolVersionIsSaidClearly) {
  FakeServer fake(encode(ServerHello{.version = 99, .nonce = {}, .server_name = "old"}));
  Channel channel = Channel::connect(fake.endpoint(), kPatience).value();
  auto answer = channel.receive(kPatience);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::protocol_version);
  EXPECT_NE(answer.error().detail.find("version 99"), std::string::npos);
}

TEST(ChannelOverUnix, AClientOfAnotherVersionIsRefusedWithALogLine) {
  CapturedLog log;
  EchoServer echo;
  const int fd = raw_unix(echo.options_.unix_path);
  Session session({}, kMaxHandshakeFrameBytes);
  session.queue(encode(ClientHello{.version = 99, .credential = {}}));
  ASSERT_TRUE(session.write_to(fd));
  EXPECT_TRUE(is_closed_by_peer(fd));
  EXPECT_TRUE(log.comes_to_say("it speaks version 99"));
  ::close(fd);
}

TEST(ChannelOverUnix, AServerWithAnotherNameIsRefused) {
  EchoServer echo;
  Endpoint endpoint = echo.unix_endpoint();
  endpoint.server_name = "another";
  Channel channel = Channel::connect(endpoint, kPatience).value();
  auto answer = channel.receive(kPatience);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::access_denied);
}

TEST(ChannelOverUnix, AServerOfAnotherKindIsRefused) {
  EXPECT_NE(controller_server_name("n1"), node_server_name("n1"));
  FakeServer fake(encode(make_server_hello(node_server_name("n1"), false)));
  Endpoint endpoint = fake.endpoint();
  endpoint.server_name = controller_server_name("n1");
  auto channel = Channel::connect(endpoint, Seconds{10});
  ASSERT_TRUE(channel);
  ASSERT_TRUE(channel->send("x"));
  auto answer = channel->receive(Seconds{10});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::access_denied);
}

TEST(ChannelOverUnix, AGreetingThatComesLateIsStillNoAnswer) {
  FakeServer fake("");
  Channel channel = Channel::connect(fake.endpoint(), kPatience).value();
  ASSERT_FALSE(channel.receive(Millis{20}));
  fake.say(encode(make_server_hello("late", false)));
  fake.say("answer");
  EXPECT_EQ(channel.receive(kPatience).value(), "answer");
}

TEST(ChannelOverUnix, WaitingForAFrameTimesOutAndGoesOnAfterwards) {
  EchoServer echo;
  Channel channel = echo.client();
  auto nothing = channel.receive(Millis{20});
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().code, ErrorCode::timed_out);
  EXPECT_EQ(call(channel, "still here"), "echo still here");
}

TEST(ChannelOverUnix, TheServersOrderlyEndComesAfterWhatItSent) {
  EchoServer echo;
  TemporaryFolder folder;
  std::unique_ptr<Server> server;
  server = Server::listen(echo.loop, {.unix_path = folder / "socket"},
                          {.on_open = {},
                           .on_frame =
                               [&](ConnectionId id, std::string) {
                                 server->send(id, "last words");
                                 server->close(id);
                               },
                           .on_close = {}})
               .value();
  auto channel = Channel::connect({.unix_path = folder / "socket"}, kPatience);
  ASSERT_TRUE(channel);
  EXPECT_EQ(call(*channel, "x"), "last words");
  auto end = channel->receive(kPatience);
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code, ErrorCode::zero_bytes);
}

TEST(ChannelOverUnix, APollLoopReadsAndWritesWithoutBlocking) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  Channel left(ends[0], {});
  Channel right(ends[1], {.is_server = true});
  EXPECT_EQ(right.try_receive().value(), std::nullopt);
  const std::string large(8u << 20, 'y');
  left.queue(large);
  ASSERT_TRUE(left.try_flush());
  EXPECT_GT(left.queued_bytes(), 0u) << "the socket took 8 MiB at once";
  std::optional<std::string> got;
  while (!got) {
    ASSERT_TRUE(left.try_flush());
    auto part = right.try_receive();
    ASSERT_TRUE(part);
    got = std::move(*part);
  }
  EXPECT_EQ(left.queued_bytes(), 0u);
  EXPECT_EQ(*got, large);
}

TEST(ChannelOverUnix, AStaleSocketFileIsReplacedAndAServedOneIsNot) {
  TemporaryFolder folder;
  ::close(listen_unix(folder / "socket").value());
  auto again = listen_unix(folder / "socket");
  ASSERT_TRUE(again) << again.error().text();
  auto second = listen_unix(folder / "socket");
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().detail.find("another server does"), std::string::npos);
  ::close(*again);
}

}  // namespace
}  // namespace muster::io
