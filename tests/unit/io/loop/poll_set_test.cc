// What a single-threaded program waits for in one round.
#include "io/loop/poll_set.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

namespace muster::io {
namespace {

struct Pipe {
  Pipe() { EXPECT_EQ(pipe(ends), 0); }
  ~Pipe() {
    close(ends[0]);
    hang_up();
  }
  void write(const std::string& text) {
    EXPECT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void hang_up() {
    if (ends[1] >= 0) close(ends[1]);
    ends[1] = -1;
  }
  int reader() const { return ends[0]; }
  int ends[2];
};

TEST(PollSet, CallsTheHandlersOfWhatIsReadyInTheOrderAdded) {
  Pipe first, silent, last;
  last.write("x");
  first.write("x");
  std::vector<std::string> called;
  PollSet set;
  set.add(first.reader(), POLLIN, [&](short) { called.emplace_back("first"); });
  set.add(silent.reader(), POLLIN, [&](short) { called.emplace_back("silent"); });
  set.add(last.reader(), POLLIN, [&](short) { called.emplace_back("last"); });
  EXPECT_EQ(set.wait(-1), 2);
  EXPECT_EQ(called, (std::vector<std::string>{"first", "last"}));
}

TEST(PollSet, SaysThatItsTimeIsOver) {
  Pipe pipe;
  PollSet set;
  set.add(pipe.reader(), POLLIN, [](short) { ADD_FAILURE() << "nothing was written"; });
  EXPECT_EQ(set.wait(0), 0);
}

TEST(PollSet, PassesOverADescriptorThatIsNone) {
  Pipe pipe;
  pipe.write("x");
  PollSet set;
  set.add(-1, POLLIN, [](short) { ADD_FAILURE() << "there is no such descriptor"; });
  bool is_read = false;
  set.add(pipe.reader(), POLLIN, [&](short) { is_read = true; });
  EXPECT_EQ(set.wait(-1), 1);
  EXPECT_TRUE(is_read);
}

TEST(PollSet, TellsOfAHangUpWithoutBeingAsked) {
  Pipe pipe;
  pipe.hang_up();
  short told = 0;
  PollSet set;
  set.add(pipe.reader(), 0, [&](short happened) { told = happened; });
  EXPECT_EQ(set.wait(-1), 1);
  EXPECT_EQ(told, POLLHUP);
}

TEST(PollSet, WaitsForOneDescriptorAlone) {
  Pipe pipe;
  std::thread writer([&] { pipe.write("x"); });
  wait_until_ready(pipe.reader(), POLLIN);
  char byte = 0;
  EXPECT_EQ(read(pipe.reader(), &byte, 1), 1);
  writer.join();
}

}  // namespace
}  // namespace muster::io
