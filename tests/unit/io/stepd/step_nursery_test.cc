// The packets of the nursery.
#include "io/stepd/step_nursery.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "io/process/spawn.h"

namespace muster::io {
namespace {

struct Pair {
  Pair() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends), 0); }
  ~Pair() {
    close(ends[0]);
    if (ends[1] >= 0) close(ends[1]);
  }
  void hang_up() {
    close(ends[1]);
    ends[1] = -1;
  }
  int ends[2];
};

std::string content(int fd) {
  char buffer[64];
  ssize_t size = pread(fd, buffer, sizeof buffer, 0);
  return size < 0 ? "?" : std::string(buffer, static_cast<std::size_t>(size));
}

TEST(StepNursery, GetsAStepsTitleAndDescriptors) {
  Pair pair;
  StepDescriptors given{*memory_file("setup"), *memory_file("socket"), *memory_file("lock")};
  ASSERT_TRUE(give_step(pair.ends[1], "slurmstepd: [7.0]", given));
  for (int fd : given) close(fd);
  auto step = await_step(pair.ends[0]);
  ASSERT_TRUE(step);
  EXPECT_EQ(step->title, "slurmstepd: [7.0]");
  EXPECT_EQ(content(step->descriptors[0]), "setup");
  EXPECT_EQ(content(step->descriptors[1]), "socket");
  EXPECT_EQ(content(step->descriptors[2]), "lock");
  for (int fd : step->descriptors) close(fd);
}

TEST(StepNursery, EndsWhenSlurmdHasGone) {
  Pair pair;
  pair.hang_up();
  EXPECT_FALSE(await_step(pair.ends[0]));
}

TEST(StepNursery, IsNotGivenAStepAfterItHasGone) {
  Pair pair;
  pair.hang_up();
  EXPECT_FALSE(give_step(pair.ends[0], "slurmstepd: [7.0]", {0, 1, 2}));
}

}  // namespace
}  // namespace muster::io
