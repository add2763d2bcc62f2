// The event loop of the daemons.
#include "io/loop/loop.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "io/net_fixture.h"

namespace muster::io {
namespace {

using namespace std::chrono_literals;

TEST(Loop, CallsAHandlerUntilItsDescriptorIsUnwatched) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_NONBLOCK), 0);
  Mailbox<char> read_bytes;
  Mailbox<int> unwatched;
  Loop loop;
  loop.post([&] {
    loop.watch(ends[0], EPOLLIN, call_when_ready([&] {
                 char byte = 0;
                 if (read(ends[0], &byte, 1) == 1) read_bytes.put(byte);
               }));
  });
  ASSERT_EQ(write(ends[1], "a", 1), 1);
  EXPECT_EQ(read_bytes.take(), 'a');
  ASSERT_EQ(write(ends[1], "b", 1), 1);
  EXPECT_EQ(read_bytes.take(), 'b');
  loop.post([&] {
    loop.unwatch(ends[0]);
    unwatched.put(1);
  });
  ASSERT_TRUE(unwatched.take());
  ASSERT_EQ(write(ends[1], "c", 1), 1);
  Mailbox<int> two_rounds_later;
  loop.post([&] { loop.post([&] { two_rounds_later.put(1); }); });
  ASSERT_TRUE(two_rounds_later.take());
  char left = 0;
  EXPECT_EQ(read(ends[0], &left, 1), 1) << "nobody was called for it";
  close(ends[0]);
  close(ends[1]);
}

// Fails twice for want of memory.
class Scarce {
 public:
  void use() {
    if (++uses_ < 3) throw std::bad_alloc();
    used_.put(uses_);
  }
  int uses() { return used_.take().value_or(0); }

 private:
  int uses_ = 0;
  Mailbox<int> used_;
};

TEST(Loop, CallsAgainWhatMemoryDidNotSufficeFor) {
  Scarce posted, timer, drained, handler;
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_NONBLOCK), 0);
  ASSERT_EQ(write(ends[1], "x", 1), 1);
  bool is_drained = false;
  Loop loop([&] {
    if (!std::exchange(is_drained, true)) return;
    drained.use();
  });
  loop.post([&] { posted.use(); });
  loop.after(1ms, [&] { timer.use(); });
  loop.post([&] {
    loop.watch(ends[0], EPOLLIN, call_when_ready([&] {
                 handler.use();
                 loop.unwatch(ends[0]);
               }));
  });
  EXPECT_EQ(posted.uses(), 3);
  EXPECT_EQ(timer.uses(), 3);
  EXPECT_EQ(drained.uses(), 3);
  EXPECT_EQ(handler.uses(), 3);
  loop.stop();
  loop.join();
  close(ends[0]);
  close(ends[1]);
}

TEST(Loop, WhatFailsKeepsNobodyWaiting) {
  Mailbox<int> done;
  Loop loop;
  loop.post([] { throw std::bad_alloc(); });  // whenever it is called
  loop.post([&] { done.put(1); });
  EXPECT_EQ(done.take(), 1);
  loop.after(1ms, [&] { done.put(2); });
  EXPECT_EQ(done.take(), 2);
}

TEST(Loop, AHandlerMayUnwatchItself) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_NONBLOCK), 0);
  ASSERT_EQ(write(ends[1], "x", 1), 1);
  Mailbox<std::string> done;
  Loop loop;
  loop.post([&] {
    auto words = std::make_shared<std::string>("still here");
    loop.watch(ends[0], EPOLLIN, call_when_ready([&, words] {
                 loop.unwatch(ends[0]);
                 done.put(*words);  // by now the loop has released the handler
               }));
  });
  EXPECT_EQ(done.take(), "still here");
  close(ends[0]);
  close(ends[1]);
}

TEST(Loop, WakesUpForTheNextRoundWhenToldTo) {
  Mailbox<std::uint64_t> rounds;
  Loop* self = nullptr;
  bool asks = true;
  Loop loop([&] {
    rounds.put(self->round());
    if (std::exchange(asks, false)) self->wake_within(1ms);
  });
  self = &loop;
  loop.post([] {});
  const auto first = rounds.take(), second = rounds.take();
  ASSERT_TRUE(first && second) << "nothing else wakes it";
  EXPECT_EQ(*second, *first + 1);
}

TEST(Loop, TheEarliestTimeCounts) {
  Mailbox<int> rounds;
  Loop* self = nullptr;
  bool asks = true;
  Loop loop([&] {
    rounds.put(1);
    if (!std::exchange(asks, false)) return;
    self->wake_within(1h);
    self->wake_within(1ms);
    self->wake_within(2h);
  });
  self = &loop;
  loop.post([] {});
  ASSERT_TRUE(rounds.take());
  EXPECT_TRUE(rounds.take());
}

TEST(Loop, DoesNothingMoreOnceItWasJoined) {
  std::vector<int> done;
  Loop loop;
  Mailbox<int> stopped;
  loop.post([&] {
    done.push_back(1);
    loop.stop();
    stopped.put(1);
  });
  ASSERT_TRUE(stopped.take());
  loop.join();
  loop.post([&] { done.push_back(2); });
  EXPECT_EQ(done, std::vector{1});
}

}  // namespace
}  // namespace muster::io
