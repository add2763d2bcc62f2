// daemonize: turns a process into a daemon: it leaves the terminal, writes its pid file and
// switches to its user.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace muster::io {

// Continues in a child of init, in a session of its own. Requires that there are no other threads
// yet. The process that was started waits for it: it exits 0 after daemon_ready(), or prints the
// line of daemon_failed() and exits 1. So when the start command returns, the daemon is serving.
Result<void> daemonize();
void daemon_ready();  // also closes the terminal; does nothing in the foreground
[[noreturn]] void daemon_failed(
    std::string_view text);  // in the foreground: prints the line on stderr and exits 1

// A file with our pid, locked while we run, so that a second instance cannot start.
class PidFile {
 public:
  static Result<PidFile> create(const std::string& path);
  PidFile(PidFile&&) noexcept;
  PidFile& operator=(PidFile&&) = delete;
  ~PidFile();  // removes the file, or empties it if we may no longer write to its directory

 private:
  PidFile(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  std::string path_;
  int fd_;
};

// Switches to this user and all its groups, for good. Does nothing if we are that user already.
Result<void> drop_privileges(const std::string& user);

// Nobody but root sees this process's memory, and no core file holds it. What it forks is the same;
// a program that it starts is not.
void keep_memory_private();

}  // namespace muster::io
