// Receives signals through a descriptor, and switches the terminal to raw mode.
#include "cli/allocation/signals.h"

#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include <csignal>

#include "base/check.h"
#include "io/loop/poll_set.h"

namespace muster::cli {

SignalQueue::SignalQueue(Children children) {
  sigset_t wanted;
  sigemptyset(&wanted);
  for (int number :
       {SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGUSR1, SIGUSR2, SIGWINCH, SIGCONT, SIGALRM})
    sigaddset(&wanted, number);
  if (children == Children::reported) sigaddset(&wanted, SIGCHLD);
  sigprocmask(SIG_BLOCK, &wanted, nullptr);
  fd_ = signalfd(-1, &wanted, SFD_NONBLOCK | SFD_CLOEXEC);
  CHECK(fd_ >= 0);
  // Writing to a closed pipe, or reading from a terminal of another process group, gives an error
  // instead of a signal.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGTTIN, SIG_IGN);
}

SignalQueue::~SignalQueue() { close(fd_); }

std::optional<int> SignalQueue::take() {
  signalfd_siginfo info;
  if (read(fd_, &info, sizeof info) != static_cast<ssize_t>(sizeof info)) return std::nullopt;
  return static_cast<int>(info.ssi_signo);
}

SignalQueue::Heard SignalQueue::wait_for(int fd, Millis timeout) const {
  Heard heard;
  io::PollSet set;
  set.add(fd, POLLIN, [&](short) { heard.readable = true; });
  set.add(fd_, POLLIN, [](short) {});
  heard.timed_out = set.wait(static_cast<int>(timeout.count())) == 0;
  return heard;
}

void SignalQueue::restore() {
  for (int number : {SIGPIPE, SIGTTIN, SIGTTOU}) std::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

struct RawTerminal::Saved {
  termios settings;
};

RawTerminal::RawTerminal() {
  termios settings;
  if (tcgetattr(STDIN_FILENO, &settings) != 0) return;
  saved_ = new Saved{settings};
  cfmakeraw(&settings);
  tcsetattr(STDIN_FILENO, TCSADRAIN, &settings);
}

RawTerminal::~RawTerminal() {
  if (!saved_) return;
  tcsetattr(STDIN_FILENO, TCSADRAIN, &saved_->settings);
  delete saved_;
}

}  // namespace muster::cli
