// Broken and hostile peers lose their own connection and cause a log line; other clients are not
// affected.
#include <sys/resource.h>

#include <random>

#include "base/codec/codec.h"
#include "io/net/handshake.h"
#include "io/net/server_sockets.h"
#include "io/net_fixture.h"

namespace muster::io {
namespace {

TEST(HostilePeer, AnOversizeLengthIsRefusedBeforeAnythingIsAllocated) {
  CapturedLog log;
  EchoServer echo;
  const int stranger = raw_unix(echo.options_.unix_path);
  ASSERT_TRUE(write_raw(stranger, std::string("\x00\x00\x40\x01", 4)));  // 16 KiB plus one byte
  EXPECT_TRUE(is_closed_by_peer(stranger));
  const int known = raw_unix(echo.options_.unix_path);
  ASSERT_TRUE(write_raw(known, greeting() + std::string("\x7f\xff\xff\xff", 4)));
  EXPECT_TRUE(is_closed_by_peer(known));
  EXPECT_TRUE(log.comes_to_say("16385 bytes, more than the 16384 allowed")) << log.text();
  EXPECT_TRUE(log.comes_to_say("2147483647 bytes")) << log.text();
  ::close(stranger);
  ::close(known);
}

TEST(HostilePeer, RandomBytesDoNotDisturbAnotherClientsCalls) {
  CapturedLog log;
  EchoServer echo;
  Channel channel = echo.client();
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::string noise(1 + random() % 5000, '\0');
    for (char& c : noise) c = static_cast<char>(random());
    const int fd = raw_unix(echo.options_.unix_path);
    ASSERT_GE(fd, 0);
    (void)write_raw(fd, round % 2 ? greeting() + noise : noise);  // it may be closed already
    ASSERT_EQ(call(channel, "still served"), "echo still served");
    ::close(fd);
  }
  EXPECT_TRUE(eventually([&] { return echo.server->connections() == 1; }));
  const std::string text = log.text();
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 60) << "the log lines are not limited";
}

TEST(HostilePeer, APeerThatNeverGreetsIsClosed) {
  CapturedLog log;
  EchoServer echo({.handshake_timeout = Millis{50}});
  const int fd = raw_unix(echo.options_.unix_path);
  ASSERT_TRUE(write_raw(fd, std::string("\0\0", 2)));
  EXPECT_TRUE(is_closed_by_peer(fd));
  EXPECT_TRUE(log.comes_to_say("did not greet in time"));
  ::close(fd);
}

TEST(HostilePeer, AnIncompleteFrameTimesOut) {
  CapturedLog log;
  EchoServer echo({.stall_timeout = Millis{50}});
  const int fd = raw_unix(echo.options_.unix_path);
  ASSERT_TRUE(write_raw(fd, greeting() + std::string("\0\0\0\x10half", 8)));
  EXPECT_TRUE(is_closed_by_peer(fd));
  EXPECT_TRUE(log.comes_to_say("began a message"));
  EXPECT_TRUE(echo.closed.take()) << "the owner was not told";
  ::close(fd);
}

TEST(HostilePeer, OneThatAsksAndNeverReadsIsClosedAfterAWhile) {
  CapturedLog log;
  EchoServer echo({.stall_timeout = Millis{200}});
  Channel flood = echo.client();
  const std::string question(512u << 10, 'q');
  bool is_alive = true;
  for (int i = 0; i < 1000 && is_alive; ++i) is_alive = flood.send(question).has_value();
  EXPECT_FALSE(is_alive);
  EXPECT_TRUE(log.comes_to_say("does not read")) << log.text();
  Channel other = echo.client();
  EXPECT_EQ(call(other, "x"), "echo x");
}

TEST(HostilePeer, OneThatIsSentMoreThanItReadsIsClosedWhenItsQueueIsFull) {
  CapturedLog log;
  EchoServer echo({.max_queued_bytes = 4u << 20});
  Channel idle = echo.client();
  ASSERT_EQ(call(idle, "x"), "echo x");
  for (int i = 0; i < 16; ++i) echo.server->send(1, std::string(1u << 20, 'x'));
  EXPECT_TRUE(log.comes_to_say("does not read")) << log.text();
  Channel other = echo.client();
  EXPECT_EQ(call(other, "x"), "echo x");
}

TEST(HostilePeer, AnIdleConnectionIsClosedWhereThatIsAskedFor) {
  EchoServer echo({.idle_timeout = Millis{50}});
  Channel channel = echo.client();
  auto end = channel.receive(kPatience);
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code, ErrorCode::zero_bytes);
}

TEST(HostilePeer, UnauthenticatedPeersMakeRoomForOthers) {
  CapturedLog log;
  EchoServer echo({.max_connections = 10});
  std::vector<int> strangers;
  for (int i = 0; i < 30; ++i) strangers.push_back(raw_unix(echo.options_.unix_path));
  Channel channel = echo.client();
  EXPECT_EQ(call(channel, "x"), "echo x");
  EXPECT_LE(echo.server->connections(), 10u);
  for (const int fd : strangers) ::close(fd);
}

TEST(HostilePeer, TenThousandIdleConnectionsLeaveTheOthersCallsFast) {
  const std::size_t files = raise_file_limit(24000);
  const std::size_t count = std::min<std::size_t>(10000, (files - 600) / 2);
  CapturedLog log;
  EchoServer echo({.handshake_timeout = Millis{3000}});
  Channel channel = echo.client();
  std::vector<int> idle;
  Millis slowest{0};
  for (std::size_t i = 0; i < count; ++i) {
    idle.push_back(raw_unix(echo.options_.unix_path));
    ASSERT_GE(idle.back(), 0) << std::strerror(errno);
    if (i % 100 != 0) continue;
    const auto start = std::chrono::steady_clock::now();
    ASSERT_EQ(call(channel, "x"), "echo x");
    slowest =
        std::max(slowest, std::chrono::ceil<Millis>(std::chrono::steady_clock::now() - start));
  }
  EXPECT_LT(slowest, Millis{1000});
  RecordProperty("idle_connections", static_cast<int>(count));
  EXPECT_TRUE(eventually([&] { return echo.server->connections() == 1; }))
      << echo.server->connections();
  EXPECT_EQ(call(channel, "after"), "echo after");
  const std::string text = log.text();
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 100);
  for (const int fd : idle) ::close(fd);
}

// With every descriptor in use accept fails; the server must neither spin nor stop accepting.
TEST(HostilePeer, RunningOutOfDescriptorsPassesAgain) {
  CapturedLog log;
  EchoServer echo({.handshake_timeout = Millis{60000}});
  Channel channel = echo.client();
  EXPECT_EQ(call(channel, "x"), "echo x");
  ASSERT_TRUE(echo.opened.take()) << "else it might be the stranger that makes room";
  const int waiting = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = ::dup(0);
  ::close(next);
  rlimit tight = before;
  tight.rlim_cur = static_cast<rlim_t>(next);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &tight), 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, echo.options_.unix_path.c_str(), sizeof address.sun_path - 1);
  EXPECT_EQ(::connect(waiting, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  clock_t cpu = ::clock();
  EXPECT_EQ(call(channel, "x"), "echo x");
  std::this_thread::sleep_for(Millis{300});  // measures how much it computes meanwhile
  cpu = ::clock() - cpu;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_LT(cpu, CLOCKS_PER_SEC / 10) << "it spins";
  EXPECT_TRUE(eventually([&] { return echo.server->connections() == 2; }));
  EXPECT_TRUE(log.comes_to_say("cannot accept a connection"));
  ::close(waiting);
}

}  // namespace
}  // namespace muster::io
