// What makes a process a daemon: leaving the terminal, its pid file, its user.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

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

}  // namespace muster::io
