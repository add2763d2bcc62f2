// Frames that several threads send over one connection arrive whole, those of a thread in order.
#include <map>

#include "io/net_fixture.h"

namespace muster::io {
namespace {

constexpr int kThreads = 4, kEach = 2000;

std::string numbered(int thread, int number, std::size_t size) {
  return std::to_string(thread) + ":" + std::to_string(number) + ":" + std::string(size, 'x');
}

void expect_all(EchoServer& echo, Channel client, std::size_t size) {
  const ConnectionId id = 1;  // the first id of the server
  ASSERT_EQ(call(client, "hello"), "echo hello");
  std::vector<std::thread> senders;
  for (int thread = 0; thread < kThreads; ++thread)
    senders.emplace_back([&, thread] {
      for (int number = 0; number < kEach; ++number)
        echo.server->send(id, numbered(thread, number, size));
    });
  std::map<int, int> next;
  for (int i = 0; i < kThreads * kEach; ++i) {
    auto frame = client.receive(kPatience);
    ASSERT_TRUE(frame) << frame.error().text();
    const int thread = std::stoi(*frame);
    ASSERT_EQ(*frame, numbered(thread, next[thread], size));
    ++next[thread];
  }
  for (std::thread& sender : senders) sender.join();
}

TEST(Send, FromSeveralThreadsOverAPlainConnection) {
  EchoServer echo;
  expect_all(echo, echo.client(), 10);
}

// More than the socket's buffer: the rest waits for the reader.
TEST(Send, MoreThanTheSocketTakesWaitsForTheReader) {
  EchoServer echo;
  expect_all(echo, echo.client(), 5000);
}

TEST(Send, FromSeveralThreadsOverASealedConnection) {
  if (!has_munge()) GTEST_SKIP() << "no munge daemon answers here";
  EchoServer echo({.any_port = true});
  auto client = Channel::connect(echo.tcp_endpoint(), kPatience);
  ASSERT_TRUE(client) << client.error().text();
  expect_all(echo, std::move(*client), 1000);
}

}  // namespace
}  // namespace muster::io
