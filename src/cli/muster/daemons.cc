// Starts and ends the daemons of the embedded cluster.
#include "cli/muster/daemons.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <thread>

#include "base/install_paths.h"
#include "base/text/strings.h"
#include "io/files.h"
#include "io/process/processes.h"

namespace muster::cli {

namespace {

using namespace std::chrono_literals;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  int get() const { return fd_; }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

// Reads stdout and stderr of a child until both end. Reading only one could block the child on the
// other.
struct Words {
  std::string out, err;
};

std::string read_all(int fd) {
  std::string text;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

Words read_both(int out, int err) {
  Words words;
  std::jthread other([&] { words.err = read_all(err); });
  words.out = read_all(out);
  return words;
}

Result<pid_t> spawn_piped(const std::vector<std::string>& argv, int out, int err) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, 1);
  posix_spawn_file_actions_adddup2(&actions, err, 2);
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return fail(fmt::format("cannot start {}: {}", argv[0], std::strerror(error)));
  return pid;
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

bool is_ours(pid_t pid, std::string_view program) {
  struct stat status{};
  const std::string process = fmt::format("/proc/{}", pid);
  if (::stat(process.c_str(), &status) != 0 || status.st_uid != ::geteuid()) return false;
  // A process that has ended but was not reaped yet counts as ended.
  if (auto info = io::read_process(pid); !info || info->state == 'Z') return false;
  auto name = io::read_file(process + "/comm");
  return name && trim(*name) == program;
}

std::string program_of(const Daemon& daemon) {
  return daemon.name.substr(0, daemon.name.find(' '));
}

}  // namespace

Result<std::string> own_directory() {
  std::array<char, PATH_MAX> self{};
  const ssize_t size = ::readlink("/proc/self/exe", self.data(), self.size() - 1);
  if (size <= 0) return fail(fmt::format("/proc/self/exe: {}", std::strerror(errno)));
  const std::string path(self.data(), static_cast<std::size_t>(size));
  return path.substr(0, path.rfind('/'));
}

Result<Programs> find_programs() {
  auto own = own_directory();
  if (!own) return std::unexpected(own.error());
  const std::string& here = *own;
  for (const std::string& place : {here, here + "/../sbin", std::string(kDaemonDirectory)}) {
    Programs found{place + "/slurmctld", place + "/slurmd"};
    if (::access(found.slurmctld.c_str(), X_OK) == 0 && ::access(found.slurmd.c_str(), X_OK) == 0)
      return found;
  }
  return fail(fmt::format("slurmctld and slurmd are neither in {} nor in {}/../sbin nor in {}",
                          here, here, kDaemonDirectory));
}

Result<std::string> run_program(const std::vector<std::string>& argv) {
  std::array<int, 2> out{-1, -1}, err{-1, -1};
  if (::pipe2(out.data(), O_CLOEXEC) != 0)
    return fail(fmt::format("pipe: {}", std::strerror(errno)));
  Descriptor out_read(out[0]), out_write(out[1]);
  if (::pipe2(err.data(), O_CLOEXEC) != 0)
    return fail(fmt::format("pipe: {}", std::strerror(errno)));
  Descriptor err_read(err[0]), err_write(err[1]);
  auto pid = spawn_piped(argv, out_write.get(), err_write.get());
  if (!pid) return std::unexpected(pid.error());
  out_write.close();
  err_write.close();
  Words words = read_both(out_read.get(), err_read.get());
  int status = 0;
  while (::waitpid(*pid, &status, 0) < 0)
    if (errno != EINTR) return fail(fmt::format("{}: {}", argv[0], std::strerror(errno)));
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::move(words.out);
  std::string why(trim(words.err));
  if (why.empty() && WIFSIGNALED(status)) why = fmt::format("ended by signal {}", WTERMSIG(status));
  if (why.empty()) why = fmt::format("exit code {}", WEXITSTATUS(status));
  return fail(fmt::format("{} did not start:\n{}", base_name(argv[0]), why));
}

std::optional<pid_t> find_process(const Daemon& daemon) {
  Descriptor file(::open(daemon.pid_file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (file.get() < 0) return std::nullopt;
  // The test holds the lock for a moment only: a daemon that starts just then tries again.
  if (::flock(file.get(), LOCK_SH | LOCK_NB) == 0) return std::nullopt;
  auto pid = parse_number<pid_t>(trim(read_all(file.get())));
  // One that was killed a moment ago holds its lock until all of it is gone.
  if (!pid || *pid <= 1 || !is_ours(*pid, program_of(daemon)) || io::is_dying(*pid))
    return std::nullopt;
  return *pid;
}

Result<void> end_daemon(const Daemon& daemon, Seconds patience) {
  const auto pid = find_process(daemon);
  if (!pid) return {};
  if (::kill(*pid, SIGTERM) != 0 && errno != ESRCH)
    return fail(
        fmt::format("cannot end {} (process {}): {}", daemon.name, *pid, std::strerror(errno)));
  const auto until = std::chrono::steady_clock::now() + patience;
  // The lock is released first, the process ends a moment later: wait for both.
  while (find_process(daemon) || is_ours(*pid, program_of(daemon))) {
    if (std::chrono::steady_clock::now() > until)
      return fail(fmt::format("{} (process {}) has not ended within {} s", daemon.name, *pid,
                              patience.count()));
    std::this_thread::sleep_for(10ms);
  }
  return {};
}

Daemon controller_daemon(const std::string& run_directory) {
  return {"slurmctld", run_directory + "/slurmctld.pid"};
}

Daemon node_daemon(const std::string& run_directory, const std::string& node) {
  return {"slurmd of " + node, fmt::format("{}/slurmd.{}.pid", run_directory, node)};
}

std::vector<Daemon> list_daemons(const std::string& run_directory) {
  constexpr std::string_view kPrefix = "slurmd.", kSuffix = ".pid";
  std::vector<Daemon> found;
  auto names = io::list_directory(run_directory);
  if (!names) return found;  // no cluster was ever here
  bool has_controller = false;
  for (const std::string& name : *names) {
    has_controller |= name == "slurmctld.pid";
    if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) continue;
    found.push_back(node_daemon(
        run_directory, name.substr(kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size())));
  }
  if (has_controller) found.push_back(controller_daemon(run_directory));
  return found;
}

}  // namespace muster::cli
