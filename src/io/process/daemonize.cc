// Forks twice, and reports success or failure to the first process through a pipe.
#include "io/process/daemonize.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "io/log.h"

namespace muster::io {

namespace {

constexpr char kReady = 'R';

// The pipe to the process that was started. Static, because a process is daemonized at most once.
int starter_fd = -1;

std::unexpected<Error> failed(std::string_view what) {
  return fail(fmt::format("{}: {}", what, std::strerror(errno)));
}

void write_whole(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = ::write(fd, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return;  // the reader is gone
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

std::string read_whole(int fd) {
  std::string text;
  std::array<char, 512> buffer;
  for (;;) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
    if (text[0] == kReady) return text;
  }
}

void print_line(std::string_view text) {
  write_whole(STDERR_FILENO, fmt::format("{}: fatal: {}\n", program_invocation_short_name, text));
}

[[noreturn]] void wait_as_starter(int fd, pid_t child) {
  ::waitpid(child, nullptr, 0);
  std::string report = read_whole(fd);
  if (!report.empty() && report[0] == kReady) ::_exit(0);
  print_line(report.empty() ? "it ended while it started; its log may say why" : report.substr(1));
  ::_exit(1);
}

void to_null(int fd, int flags) {
  const int null = ::open("/dev/null", flags);
  if (null < 0) return;
  ::dup2(null, fd);
  if (null != fd) ::close(null);
}

}  // namespace

Result<void> daemonize() {
  // Close inherited descriptors: they would keep pipes of the calling script open.
  ::close_range(STDERR_FILENO + 1, ~0u, 0);
  std::array<int, 2> ends;
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return failed("cannot make a pipe");
  const pid_t child = ::fork();
  if (child < 0) return failed("cannot fork");
  if (child > 0) {
    ::close(ends[1]);
    wait_as_starter(ends[0], child);
  }
  ::close(ends[0]);
  starter_fd = ends[1];
  ::setsid();
  // Fork again: a process that is not a session leader can never get a terminal.
  const pid_t grandchild = ::fork();
  if (grandchild < 0) daemon_failed(fmt::format("cannot fork: {}", std::strerror(errno)));
  if (grandchild > 0) ::_exit(0);
  to_null(STDIN_FILENO, O_RDONLY);
  if (::chdir("/") != 0) return failed("cannot change to /");
  return {};
}

void daemon_ready() {
  if (starter_fd < 0) return;
  to_null(STDOUT_FILENO, O_WRONLY);
  to_null(STDERR_FILENO, O_WRONLY);
  write_whole(starter_fd, std::string(1, kReady));
  ::close(std::exchange(starter_fd, -1));
}

void daemon_failed(std::string_view text) {
  // If there is a starter, it prints the line. Then the log must not also print it on stderr.
  if (starter_fd >= 0) {
    to_null(STDERR_FILENO, O_WRONLY);
    write_log(LogLevel::fatal, text);
    write_whole(starter_fd, fmt::format("F{}", text));
  } else {
    write_log(LogLevel::fatal, text);
  }
  ::_exit(1);
}

Result<PidFile> PidFile::create(const std::string& path) {
  // A daemon that was just killed may still hold the lock while its threads end, so try for a
  // while.
  int patience = 40;
  for (;;) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd < 0) return failed(fmt::format("cannot open the pid file {}", path));
    PidFile file(path, fd);
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
      const int why = errno;
      std::array<char, 32> text{};
      const ssize_t got = ::pread(fd, text.data(), text.size() - 1, 0);
      file.fd_ = -1;
      ::close(fd);
      if (why == EWOULDBLOCK && patience-- > 0) {
        ::usleep(50'000);
        continue;
      }
      if (why != EWOULDBLOCK)
        return fail(fmt::format("cannot lock {}: {}", path, std::strerror(why)));
      const std::string_view pid(text.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
      return fail(fmt::format("already running as process {} (pid file {})",
                              pid.substr(0, pid.find('\n')), path));
    }
    // The old owner may have removed the file between our open and our lock. Then try again.
    struct stat ours{};
    struct stat there{};
    if (::fstat(fd, &ours) == 0 && ::stat(path.c_str(), &there) == 0 &&
        ours.st_ino == there.st_ino && ours.st_dev == there.st_dev) {
      const std::string text = fmt::format("{}\n", ::getpid());
      if (::ftruncate(fd, 0) != 0 ||
          ::pwrite(fd, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
        return failed(fmt::format("cannot write the pid file {}", path));
      return file;
    }
    file.fd_ = -1;
    ::close(fd);
  }
}

PidFile::PidFile(PidFile&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}

PidFile::~PidFile() {
  if (fd_ < 0) return;
  // Remove the file while it is still locked. If that is not allowed after dropping privileges,
  // empty it.
  if (::unlink(path_.c_str()) != 0 && ::ftruncate(fd_, 0) != 0)
    log_error("cannot empty the pid file {}: {}", path_, std::strerror(errno));
  ::close(fd_);
}

Result<void> drop_privileges(const std::string& user) {
  std::array<char, 16384> buffer;
  passwd entry{};
  passwd* found = nullptr;
  const int code = ::getpwnam_r(user.c_str(), &entry, buffer.data(), buffer.size(), &found);
  if (code != 0) return fail(fmt::format("cannot look up user {}: {}", user, std::strerror(code)));
  if (!found) return fail(fmt::format("there is no user {}", user));
  if (::geteuid() == found->pw_uid) return {};
  if (::geteuid() != 0) return fail(fmt::format("must be started as root or as {}", user));
  if (::initgroups(user.c_str(), found->pw_gid) != 0) return failed("cannot set the groups");
  if (::setgid(found->pw_gid) != 0) return failed("cannot set the group");
  if (::setuid(found->pw_uid) != 0) return failed("cannot set the user");
  return {};
}

void keep_memory_private() { ::prctl(PR_SET_DUMPABLE, 0); }

}  // namespace muster::io
