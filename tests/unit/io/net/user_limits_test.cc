// What one user's connections may take of a server, and that other users get their share.
#include <fcntl.h>
#include <sys/epoll.h>

#include <latch>

#include "io/loop/blocking_pool.h"
#include "io/net/handshake.h"
#include "io/net_fixture.h"

namespace muster::io {
namespace {

std::string framed(std::string_view body) {
  Session session({}, kMaxFrameBytes);
  session.queue(body);
  return session.release().unsent;
}

// The next frame of a raw connection whose earlier bytes have been read.
std::string next_frame(int fd) {
  auto read_all = [fd](std::size_t size) {
    std::string bytes(size, '\0');
    for (std::size_t got = 0; got < size;) {
      pollfd watched{fd, POLLIN, 0};
      if (::poll(&watched, 1, static_cast<int>(kPatience.count())) <= 0) return std::string();
      const ssize_t n = ::recv(fd, bytes.data() + got, size - got, 0);
      if (n <= 0) return std::string();
      got += static_cast<std::size_t>(n);
    }
    return bytes;
  };
  const std::string header = read_all(4);
  if (header.empty()) return header;
  std::size_t size = 0;
  for (const char c : header) size = size << 8 | static_cast<unsigned char>(c);
  return read_all(size);
}

class RawPeer {
 public:
  explicit RawPeer(const EchoServer& echo) : fd_(raw_unix(echo.options_.unix_path)) {
    EXPECT_TRUE(write_raw(fd_, greeting()));
    EXPECT_FALSE(next_frame(fd_).empty());  // the server's hello
  }
  ~RawPeer() { close(); }
  RawPeer(const RawPeer&) = delete;
  RawPeer& operator=(const RawPeer&) = delete;
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  int fd() const { return fd_; }

 private:
  int fd_;
};

bool has_answer(int fd) {
  pollfd watched{fd, POLLIN, 0};
  return ::poll(&watched, 1, 0) > 0;
}

TEST(UserLimits, AUserWithTooManyConnectionsIsToldToComeBack) {
  EchoServer echo({.max_user_connections = 2});
  Channel first = echo.client();
  {
    Channel second = echo.client();
    ASSERT_EQ(call(first, "1"), "echo 1");
    ASSERT_EQ(call(second, "2"), "echo 2");
    Channel third = echo.client();
    ASSERT_TRUE(third.send("3"));
    auto refused = third.receive(kPatience);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::slow_down) << refused.error().text();
  }
  EXPECT_TRUE(eventually([&] { return echo.server->connections() == 1; }));
  Channel next = echo.client();
  EXPECT_EQ(call(next, "4"), "echo 4");
}

TEST(UserLimits, OperatorsAreNotCounted) {
  EchoServer echo({.is_operator = [](Uid) { return true; }, .max_user_connections = 1});
  std::vector<Channel> clients;
  for (int i = 0; i < 5; ++i) {
    clients.push_back(echo.client());
    EXPECT_EQ(call(clients.back(), "x"), "echo x");
  }
}

TEST(UserLimits, OperatorsFindAPlaceWhereUsersHaveTakenAllOfTheirs) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs two users";
  EchoServer echo({.max_connections = 16,
                   .is_operator = [](Uid user) { return user == Uid{0}; },
                   .max_user_connections = 100});
  std::vector<Channel> users;
  ASSERT_EQ(::seteuid(12345), 0);
  for (int i = 0; i < 14; ++i) {
    auto channel =
        Channel::connect({.unix_path = echo.options_.unix_path, .server_uid = Uid{0}}, kPatience);
    ASSERT_TRUE(channel);
    users.push_back(std::move(*channel));
    EXPECT_EQ(call(users.back(), "x"), "echo x");
  }
  auto more =
      Channel::connect({.unix_path = echo.options_.unix_path, .server_uid = Uid{0}}, kPatience);
  ASSERT_TRUE(more);
  EXPECT_NE(call(*more, "x"), "echo x");
  ASSERT_EQ(::seteuid(0), 0);
  Channel root = echo.client();
  EXPECT_EQ(call(root, "x"), "echo x");
}

TEST(UserLimits, HalvesOfLargeMessagesWaitForRoom) {
  EchoServer echo({.max_user_incoming_bytes = 1u << 20});
  RawPeer half(echo), whole(echo);
  const std::string large(900u << 10, 'l');
  ASSERT_TRUE(write_raw(half.fd(), framed(large).substr(0, 1000)));
  Channel other = echo.client();
  EXPECT_EQ(call(other, "small"), "echo small");  // by then the half message is known
  std::thread writer([&] { EXPECT_TRUE(write_raw(whole.fd(), framed(large))); });
  for (int i = 0; i < 20; ++i) EXPECT_EQ(call(other, "small"), "echo small");
  EXPECT_FALSE(has_answer(whole.fd()));
  half.close();
  EXPECT_EQ(next_frame(whole.fd()), "echo " + large);
  writer.join();
}

TEST(UserLimits, APeerThatDoesNotReadIsNotReadFrom) {
  EchoServer echo;
  RawPeer peer(echo);
  ASSERT_EQ(::fcntl(peer.fd(), F_SETFL, O_NONBLOCK), 0);
  const std::string question = framed(std::string(10000, 'q'));
  std::size_t sent = 0;
  // Sends until nothing is accepted for a while; without a limit this would not end.
  while (sent < (64u << 20)) {
    pollfd watched{peer.fd(), POLLOUT, 0};
    if (::poll(&watched, 1, 300) <= 0) break;
    const ssize_t n = ::send(peer.fd(), question.data() + sent % question.size(),
                             question.size() - sent % question.size(), MSG_NOSIGNAL);
    if (n > 0) sent += static_cast<std::size_t>(n);
  }
  EXPECT_LT(sent, 16u << 20);
  Channel other = echo.client();
  EXPECT_EQ(call(other, "x"), "echo x");
  // The user is not cut off: when reading begins, all answers arrive.
  for (std::size_t i = 0; i < sent / question.size(); ++i)
    ASSERT_EQ(next_frame(peer.fd()).size(), 10005u) << i;
}

TEST(UserLimits, AnswersThatOneUserDoesNotReadAreLimitedTogether) {
  EchoServer echo({.max_user_queued_bytes = 2u << 20});
  const std::string question = framed(std::string(1000u << 10, 'q'));
  std::vector<std::unique_ptr<RawPeer>> peers;
  std::vector<std::thread> writers;
  for (int i = 0; i < 8; ++i) peers.push_back(std::make_unique<RawPeer>(echo));
  writers.reserve(8);
  for (auto& peer : peers)
    writers.emplace_back([&peer, &question] { (void)write_raw(peer->fd(), question); });
  EXPECT_TRUE(eventually([&] { return !echo.server->may_answer(Uid{::geteuid()}); }));
  // In the end all of them are answered, as the others read.
  std::vector<std::thread> readers;
  readers.reserve(peers.size());
  for (auto& peer : peers)
    readers.emplace_back([&peer] { EXPECT_EQ(next_frame(peer->fd()).size(), (1000u << 10) + 5); });
  for (std::thread& reader : readers) reader.join();
  for (std::thread& writer : writers) writer.join();
  EXPECT_TRUE(eventually([&] { return echo.server->may_answer(Uid{::geteuid()}); }));
}

// Counts what it has handled, and is slow.
class SlowServer {
 public:
  SlowServer() {
    server = *Server::listen(
        loop, {.unix_path = folder / "socket", .munge_decoder_uid = Uid{::geteuid()}},
        {.on_open = {},
         .on_frame =
             [this](ConnectionId id, const std::string& frame) {
               may_begin.wait();
               if (frame == "slow") {
                 ++handled;
                 const auto until = std::chrono::steady_clock::now() + Millis{1};
                 while (std::chrono::steady_clock::now() < until) {
                 }
               } else {
                 server->send(id, std::to_string(handled));
               }
             },
         .on_close = {}});
  }
  TemporaryFolder folder;
  std::latch may_begin{1};
  int handled = 0;
  Loop loop;
  std::unique_ptr<Server> server;
};

TEST(UserLimits, AFloodOfOneUserDoesNotKeepAnotherWaiting) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs two users";
  SlowServer slow;
  const std::string path = slow.folder / "socket";
  std::string flood = greeting();
  for (int i = 0; i < 500; ++i) flood += framed("slow");
  std::vector<int> flooding;
  ASSERT_EQ(::seteuid(12345), 0);
  for (int i = 0; i < 20; ++i) {
    flooding.push_back(raw_unix(path));
    ASSERT_TRUE(write_raw(flooding.back(), flood));
  }
  ASSERT_EQ(::seteuid(0), 0);
  ASSERT_EQ(::seteuid(12346), 0);
  auto other = Channel::connect({.unix_path = path, .server_uid = Uid{0}}, kPatience);
  ASSERT_EQ(::seteuid(0), 0);
  ASSERT_TRUE(other);
  ASSERT_TRUE(other->send("quick"));
  slow.may_begin.count_down();
  auto answer = other->receive(kPatience);
  ASSERT_TRUE(answer) << answer.error().text();
  EXPECT_LT(std::stoi(*answer), 100) << "of 10000";
  for (const int fd : flooding) ::close(fd);
}

TEST(UserLimits, ASilentConnectionStaysWhereItIsNeeded) {
  TemporaryFolder folder;
  Mailbox<ConnectionId> closed;
  Loop loop;
  auto server = *Server::listen(loop,
                                {.unix_path = folder / "socket",
                                 .munge_decoder_uid = Uid{::geteuid()},
                                 .idle_timeout = Millis{50}},
                                {.on_open = {},
                                 .on_frame = {},
                                 .on_close = [&](ConnectionId id) { closed.put(id); },
                                 .is_needed = [](ConnectionId id) { return id == 1; }});
  const int needed = raw_unix(folder / "socket");
  ASSERT_TRUE(write_raw(needed, greeting()));
  EXPECT_FALSE(next_frame(needed).empty());
  const int idle = raw_unix(folder / "socket");
  ASSERT_TRUE(write_raw(idle, greeting()));
  EXPECT_TRUE(is_closed_by_peer(idle));
  ::close(idle);
  EXPECT_EQ(closed.take(), ConnectionId{2});
  EXPECT_TRUE(server->is_open(1));
  ::close(needed);
}

// epoll's system limits fail in the same way: a plain file cannot be watched.
TEST(Loop, SaysThatADescriptorCannotBeWatched) {
  class Nothing final : public FdHandler {
    void on_ready(std::uint32_t) override {}
  };
  TemporaryFolder folder;
  const int fd = ::open((folder / "file").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  ASSERT_GE(fd, 0);
  Mailbox<bool> watched;
  Loop loop;
  loop.post([&] {
    loop.adopt(fd, std::make_shared<Nothing>());
    const bool is_watched = loop.enable(fd, EPOLLIN);
    loop.unwatch(fd);
    watched.put(is_watched);
  });
  EXPECT_EQ(watched.take(), false);
  ::close(fd);
}

TEST(BlockingPool, BoundsTheWorkThatWaits) {
  std::latch go{1}, runs{1};
  Mailbox<int> done;
  BlockingPool pool(1, 2);
  ASSERT_TRUE(pool.run([&] {
    runs.count_down();
    go.wait();
  }));
  runs.wait();
  EXPECT_TRUE(pool.run([&] { done.put(1); }));
  EXPECT_TRUE(pool.run([&] { done.put(2); }));
  EXPECT_FALSE(pool.run([&] { done.put(3); }));
  go.count_down();
  EXPECT_EQ(done.take(), 1);
  EXPECT_EQ(done.take(), 2);
}

}  // namespace
}  // namespace muster::io
