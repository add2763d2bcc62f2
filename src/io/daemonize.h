// What makes a process a daemon: leaving the terminal, its pid file, its user, its signals.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/server.h"

namespace muster::io {

// Goes on in a child of init, in a session of its own. REQUIRES: no other threads yet.
// The process that was started waits: it exits 0 when the daemon says daemon_ready(), or prints the
// one line of daemon_failed() and exits 1; so "started" means that it serves.
Result<void> daemonize();
void daemon_ready();  // also lets go of the terminal; in the foreground nothing happens
[[noreturn]] void daemon_failed(
    std::string_view text);  // in the foreground: the line on stderr, exit 1

// A file with our pid, locked as long as we live, so that a second instance is refused.
class PidFile {
 public:
  static Result<PidFile> create(const std::string& path);
  PidFile(PidFile&&) noexcept;
  PidFile& operator=(PidFile&&) = delete;
  ~PidFile();  // removes it, or empties it where the directory is not ours any more

 private:
  PidFile(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  std::string path_;
  int fd_;
};

// To this user with all its groups, for good. One who is that user already needs no privilege.
Result<void> drop_privileges(const std::string& user);

void block_signals(const std::vector<int>& signals);  // on this thread and those it starts

// Delivers signals to a callback on the loop, one at a time. It blocks them on the calling thread;
// threads that were started before and do not block them would still take the default action.
class SignalWatch {
 public:
  SignalWatch(Loop& loop, const std::vector<int>& signals, std::function<void(int)> on_signal);
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
  ~SignalWatch();  // not from within the callback

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;  // shared with the coroutine that waits
};

}  // namespace muster::io
