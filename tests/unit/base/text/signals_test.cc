// Names and numbers of signals.
#include "base/text/signals.h"

#include <gtest/gtest.h>

#include <csignal>

namespace muster {
namespace {

TEST(Signals, ReadNamesAndNumbers) {
  EXPECT_EQ(parse_signal("USR1"), SIGUSR1);
  EXPECT_EQ(parse_signal("SIGUSR1"), SIGUSR1);
  EXPECT_EQ(parse_signal("sigterm"), SIGTERM);
  EXPECT_EQ(parse_signal("10"), 10);
  EXPECT_EQ(parse_signal("cld"), SIGCHLD);
  for (const char* bad : {"", "SIG", "FOO", "-1", "65", "9x"})
    EXPECT_FALSE(parse_signal(bad)) << bad;
}

TEST(Signals, HaveNamesThatReadBack) {
  EXPECT_EQ(signal_name(SIGKILL), "KILL");
  EXPECT_EQ(signal_name(SIGCHLD), "CHLD");
  EXPECT_EQ(signal_name(40), "40");
  for (int number = 1; number < 64; ++number) EXPECT_EQ(parse_signal(signal_name(number)), number);
}

TEST(Signals, HaveDescriptions) {
  EXPECT_EQ(signal_description(SIGKILL), "Killed");
  EXPECT_EQ(signal_description(SIGTERM), "Terminated");
  EXPECT_EQ(signal_description(SIGSEGV), "Segmentation fault");
}

}  // namespace
}  // namespace muster
