// Reading /proc about processes.
#include "io/process/processes.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

namespace muster::io {
namespace {

TEST(Processes, AProcessWithAHandlerCatchesTheSignal) {
  struct sigaction before{};
  struct sigaction handler{};
  handler.sa_handler = [](int) {};
  ASSERT_EQ(::sigaction(SIGUSR1, &handler, &before), 0);
  EXPECT_TRUE(catches(::getpid(), SIGUSR1));
  handler.sa_handler = SIG_IGN;
  ASSERT_EQ(::sigaction(SIGUSR1, &handler, nullptr), 0);
  EXPECT_FALSE(catches(::getpid(), SIGUSR1));
  ASSERT_EQ(::sigaction(SIGUSR1, &before, nullptr), 0);
  EXPECT_FALSE(catches(::getpid(), SIGUSR1));
}

TEST(Processes, AMissingProcessCatchesNothing) { EXPECT_FALSE(catches(1 << 30, SIGTERM)); }

}  // namespace
}  // namespace muster::io
