// What the tests of a step's streams share: a setup, an srun at the other end of a socket pair, and
// rounds of a poll set until a condition holds.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "base/codec/codec.h"
#include "io/loop/poll_set.h"
#include "io/net/channel.h"
#include "wire/step_messages.h"
#include "wire/step_setup.h"

namespace muster::step {

inline constexpr std::chrono::seconds kPatience{20};  // far longer than anything here takes

inline StepSetup setup_of(std::vector<std::uint32_t> ranks) {
  StepSetup setup;
  setup.program = "slurmstepd";
  setup.launch.ref = {JobId{7}, Attempt{1}, StepId{0}};
  setup.launch.uid = Uid{1000};
  setup.launch.num_tasks = static_cast<std::uint32_t>(ranks.size());
  setup.launch.ranks = std::move(ranks);
  setup.launch.key = "key";
  setup.launch.watch_key = "watch";
  return setup;
}

// Runs rounds of the watchers until the condition holds, or nothing has happened for long.
template <class Watcher, class Condition>
bool run_until(Watcher& watcher, Condition condition) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    io::PollSet set;
    watcher.watch(set);
    if (condition()) return true;
    set.wait(10);
  }
  return true;
}

// A pipe to a task, whose other end the test holds. Both ends are non-blocking.
struct TaskPipe {
  TaskPipe() { EXPECT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0); }
  ~TaskPipe() {
    for (int& fd : ends) hang_up(fd);
  }
  TaskPipe(const TaskPipe&) = delete;
  static void hang_up(int& fd) {
    if (fd >= 0) close(fd);
    fd = -1;
  }
  int& reader() { return ends[0]; }
  int& writer() { return ends[1]; }
  int release(int& end) { return std::exchange(end, -1); }  // somebody else closes it
  int waiting_bytes() {
    int bytes = 0;
    EXPECT_EQ(ioctl(ends[0], FIONREAD, &bytes), 0);
    return bytes;
  }
  int ends[2];
};

// An srun: its end of the connection, and the request that slurmd passes on with the other end.
struct Srun {
  Srun() : Srun(pair()) {}
  static std::pair<int, int> pair() {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    return {ends[0], ends[1]};
  }
  explicit Srun(std::pair<int, int> ends) : channel(ends.first, {}), step_end(ends.second) {
    request.ref = {JobId{7}, Attempt{1}, StepId{0}};
    request.key = "key";
    session.peer_uid = Uid{1000};
  }
  void send(const wire::ToStep& message) {
    channel.queue(encode(wire::ToStepFrame{message}));
    (void)channel.try_flush();
  }
  // The next message of this kind, if there is one; others are skipped.
  template <class Message>
  std::optional<Message> next() {
    while (true) {
      auto frame = channel.try_receive();
      if (!frame || !*frame) return std::nullopt;
      auto message = decode<wire::FromStepFrame>(**frame);
      EXPECT_TRUE(message);
      if (message)
        if (auto* wanted = std::get_if<Message>(&message->message)) return std::move(*wanted);
    }
  }

  io::Channel channel;
  int step_end;
  wire::AttachRequest request;
  io::SessionState session;
};

}  // namespace muster::step
