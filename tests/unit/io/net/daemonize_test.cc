// Starting as a daemon, pid files and signals.
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <csignal>

#include "io/loop/signal_watch.h"
#include "io/net_fixture.h"
#include "io/process/daemonize.h"

namespace muster::io {
namespace {

struct Outcome {
  int exit_code;
  std::string stderr_text;
};

// What the shell that starts the daemon sees.
Outcome start(void (*daemon)()) {
  int ends[2];
  EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    daemon();
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string text;
  char buffer[512];
  int status = -1;
  ::waitpid(child, &status, 0);
  for (ssize_t got; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  ::close(ends[0]);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text};
}

TEST(Daemonize, TheStarterEndsWellOnceTheDaemonIsReady) {
  const Outcome outcome = start([] {
    if (!daemonize()) ::_exit(7);
    daemon_ready();
  });
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.stderr_text, "");
}

TEST(Daemonize, TheStarterSaysWhyTheDaemonCouldNotStart) {
  const Outcome outcome = start([] {
    if (!daemonize()) ::_exit(7);
    daemon_failed("cannot listen on *:6817: Address already in use");
  });
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(
      outcome.stderr_text.ends_with(": fatal: cannot listen on *:6817: Address already in use\n"))
      << outcome.stderr_text;
  EXPECT_EQ(std::count(outcome.stderr_text.begin(), outcome.stderr_text.end(), '\n'), 1);
}

TEST(Daemonize, ADaemonThatDiesWhileStartingIsNoticed) {
  const Outcome outcome = start([] {
    if (!daemonize()) ::_exit(7);
    ::raise(SIGKILL);
  });
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.stderr_text.find("ended while it started"), std::string::npos);
}

TEST(Daemonize, InTheForegroundAFailureIsOneLine) {
  const Outcome outcome = start([] { daemon_failed("no such file"); });
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(outcome.stderr_text.ends_with(": fatal: no such file\n")) << outcome.stderr_text;
}

TEST(PidFile, RefusesASecondInstanceAndIsGoneAtTheEnd) {
  TemporaryFolder folder;
  {
    auto first = PidFile::create(folder / "pid");
    ASSERT_TRUE(first) << first.error().text();
    EXPECT_EQ(read_file(folder / "pid").value(), std::to_string(::getpid()) + "\n");
    auto second = PidFile::create(folder / "pid");
    ASSERT_FALSE(second);
    EXPECT_NE(
        second.error().detail.find("already running as process " + std::to_string(::getpid())),
        std::string::npos)
        << second.error().text();
  }
  EXPECT_FALSE(exists(folder / "pid"));
}

TEST(PidFile, OneLeftBehindByACrashIsTakenOver) {
  TemporaryFolder folder;
  ASSERT_TRUE(write_file_atomic(folder / "pid", "999999\n", 0644));
  auto file = PidFile::create(folder / "pid");
  ASSERT_TRUE(file);
  EXPECT_EQ(read_file(folder / "pid").value(), std::to_string(::getpid()) + "\n");
}

TEST(DropPrivileges, BecomesTheUserForGood) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  const Outcome outcome = start([] {
    if (!drop_privileges("nobody")) ::_exit(1);
    ::_exit(::geteuid() != 0 && ::setuid(0) != 0 ? 42 : 2);
  });
  EXPECT_EQ(outcome.exit_code, 42);
  EXPECT_FALSE(drop_privileges("no-such-user-here"));
}

TEST(KeepMemoryPrivate, HoldsForWhatItForksAndNotForProgramsThatItStarts) {
  const Outcome outcome = start([] {
    keep_memory_private();
    if (::prctl(PR_GET_DUMPABLE) != 0) ::_exit(1);
    if (const pid_t forked = ::fork(); forked == 0) {
      ::_exit(::prctl(PR_GET_DUMPABLE));
    } else {
      int status = -1;
      ::waitpid(forked, &status, 0);
      if (status != 0) ::_exit(2);
    }
    // In /proc a process belongs to its user only if other processes of that user may inspect it.
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(3);
    ::execl("/bin/sh", "sh", "-c", "test -O /proc/self/environ && exit 42", nullptr);
  });
  EXPECT_EQ(outcome.exit_code, 42);
}

TEST(SignalWatch, DeliversSignalsOnTheLoop) {
  Mailbox<int> signals;
  Loop loop;
  SignalWatch watch(loop, {SIGHUP, SIGUSR2}, [&](int signal) { signals.put(signal); });
  ::kill(::getpid(), SIGHUP);
  EXPECT_EQ(signals.take(), SIGHUP);
  ::kill(::getpid(), SIGUSR2);
  EXPECT_EQ(signals.take(), SIGUSR2);
}

TEST(Loop, RunsWorkNowAndLaterAndBlockingWorkElsewhere) {
  Mailbox<std::string> done;
  Mailbox<std::string> held;
  Loop loop;
  loop.run_blocking([&] { done.put(held.take().value_or("never")); });
  loop.after(Millis{1},
             [&] { loop.post([&] { held.put("the loop went on while a call blocked"); }); });
  EXPECT_EQ(done.take(), "the loop went on while a call blocked");
}

TEST(Loop, RunsWorkInTheOrderOfItsTime) {
  Mailbox<std::string> done;
  Loop loop;
  loop.post([&] {
    loop.after(std::chrono::microseconds{2000}, [&] { done.put("last"); });
    loop.after(std::chrono::microseconds{10}, [&] { done.put("soon"); });
    done.put("now");
  });
  for (const char* expected : {"now", "soon", "last"}) EXPECT_EQ(done.take(), expected);
}

TEST(Loop, RunsWhatIsPostedAfterWhatPostsIt) {
  Mailbox<std::string> done;
  Loop loop;
  loop.post([&] {
    loop.post([&] { done.put("next"); });
    done.put("now");
  });
  for (const char* expected : {"now", "next"}) EXPECT_EQ(done.take(), expected);
}

TEST(Loop, KnowsItsOwnThread) {
  Mailbox<bool> here;
  Loop loop;
  EXPECT_FALSE(loop.is_here());
  loop.post([&] { here.put(loop.is_here()); });
  EXPECT_EQ(here.take(), true);
}

TEST(Loop, WhatWaitsWhenItStopsIsDropped) {
  auto held = std::make_shared<int>(0);
  {
    Loop loop;
    loop.after(std::chrono::hours{1}, [held] { ADD_FAILURE(); });
    EXPECT_EQ(held.use_count(), 2);
  }
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace muster::io
