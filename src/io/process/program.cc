// Starts a program, reads its output until it ends or its time is over, and queues further ones.
#include "io/process/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <glob.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <thread>

#include "base/codec/codec.h"
#include "base/text/strings.h"
#include "io/loop/memory_wait.h"
#include "io/process/grouped_program.h"
#include "io/process/spawn.h"

namespace muster::io {
namespace {

constexpr std::size_t kKeptOutput = 4096;

std::vector<std::string> matches(const std::string& pattern) {
  if (pattern.find_first_of("*?[") == std::string::npos) return {pattern};
  std::vector<std::string> paths;
  glob_t found{};
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  return paths;
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { reset(); }
  int get() const { return fd_; }
  void reset() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

void read_some(int fd, std::string& output) {
  char buffer[4096];
  ssize_t count;
  while ((count = read(fd, buffer, sizeof buffer)) > 0)
    if (output.size() < kKeptOutput)
      output.append(buffer, std::min(static_cast<std::size_t>(count), kKeptOutput - output.size()));
}

// Waits for the program's end while reading its output. False if the time limit has passed.
bool wait_for(int process, int output_fd, Seconds timeout, std::string& output) {
  const auto until = std::chrono::steady_clock::now() + timeout;
  pollfd polled[2] = {{process, POLLIN, 0}, {output_fd, POLLIN, 0}};
  while (true) {
    int wait_ms = -1;
    if (timeout > Seconds{0}) {
      auto left = std::chrono::ceil<Millis>(until - std::chrono::steady_clock::now());
      if (left <= Millis{0}) return false;
      wait_ms = static_cast<int>(std::min<std::int64_t>(left.count(), 60'000));
    }
    if (poll(polled, 2, wait_ms) < 0 && errno != EINTR) return true;
    if (polled[1].revents != 0) read_some(output_fd, output);
    if ((polled[1].revents & POLLHUP) != 0) polled[1].fd = -1;
    if (polled[0].revents != 0) return true;
  }
}

Result<pid_t> start(std::vector<std::string> argv, const ProgramRun& run, int output) {
  SpawnRequest request{.path = argv.front(),
                       .argv = argv,
                       .descriptors = {},
                       .environment = run.environment,
                       .output = output};
  if (!run.groups) return spawn(request);
  auto memory =
      memory_file(encode(GroupedProgram{run.groups->groups, std::move(argv), run.groups->user}));
  if (!memory) return std::unexpected(memory.error());
  Descriptor setup(*memory);
  request.path = run.groups->stepd_path;
  request.argv = {"slurmstepd: [program]", kRunInGroup};
  request.descriptors = {setup.get()};
  return spawn(request);
}

// Returns the failure's text; unset if the program succeeded.
std::optional<std::string> run_one(const std::string& path, const ProgramRun& run,
                                   std::string& output) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return fmt::format("{}: {}", path, std::strerror(errno));
  Descriptor reader(ends[0]), writer(ends[1]);
  fcntl(reader.get(), F_SETFL, O_NONBLOCK);
  output.reserve(kKeptOutput);  // nothing may fail once it runs
  std::vector<std::string> argv{path};
  argv.insert(argv.end(), run.arguments.begin(), run.arguments.end());
  Result<pid_t> pid = start(std::move(argv), run, writer.get());
  if (!pid) return pid.error().text();
  writer.reset();

  Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, *pid, 0)));
  const bool in_time = wait_for(process.get(), reader.get(), run.timeout, output);
  if (!in_time) kill(-*pid, SIGKILL);  // and its children
  int status = 0;
  while (waitpid(*pid, &status, 0) < 0)
    if (errno != EINTR) return fmt::format("{}: {}", path, std::strerror(errno));
  read_some(reader.get(), output);
  if (!in_time) return fmt::format("{}: not over after {} seconds", path, run.timeout.count());
  if (status == 0) return std::nullopt;
  return fmt::format("{}: exit status {}:{}", path, WIFEXITED(status) ? WEXITSTATUS(status) : 0,
                     WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

}  // namespace

ProgramEnd run_program(const ProgramRun& run) {
  for (const std::string& path : matches(run.path)) {
    std::string output;
    if (auto failure = run_one(path, run, output))
      return {.succeeded = false, .failure = *failure, .output = std::string(trim(output))};
  }
  return {};
}

std::string program_beside_us(std::string_view name) {
  char self[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", self, sizeof self);
  const std::string path(self, size > 0 ? static_cast<std::size_t>(size) : 0);
  return path.substr(0, path.rfind('/') + 1).append(name);
}

struct ProgramRunner::State {
  std::mutex mutex;  // guards the members, and is held while a callback runs
  bool wanted = true;
  std::size_t most_at_once = 0, threads = 0;
  std::deque<std::pair<ProgramRun, std::function<void(ProgramEnd)>>> waiting;
};

ProgramRunner::ProgramRunner(std::size_t most_at_once) : state_(std::make_shared<State>()) {
  state_->most_at_once = most_at_once;
}

void ProgramRunner::forget() {
  std::lock_guard lock(state_->mutex);
  state_->wanted = false;
}

void ProgramRunner::run(ProgramRun run, std::function<void(ProgramEnd)> on_end) {
  std::lock_guard lock(state_->mutex);
  state_->waiting.emplace_back(std::move(run), std::move(on_end));
  if (state_->most_at_once && state_->threads == state_->most_at_once) return;
  ++state_->threads;
  try {
    std::thread([state = state_] { work(state); }).detach();
  } catch (const std::exception&) {  // no memory for it
    --state_->threads;
    state_->waiting.pop_back();
    throw std::bad_alloc();
  }
}

namespace {

ProgramEnd run_or_fail(const ProgramRun& run) {
  try {
    return run_program(run);
  } catch (const std::bad_alloc&) {
    return {.succeeded = false, .failure = "no memory", .output = {}};
  }
}

}  // namespace

// The body of a thread: runs waiting programs until there are none.
void ProgramRunner::work(const std::shared_ptr<State>& state) {
  std::unique_lock lock(state->mutex);
  while (state->wanted && !state->waiting.empty()) {
    auto [run, on_end] = std::move(state->waiting.front());
    state->waiting.pop_front();
    lock.unlock();
    const ProgramEnd end = run_or_fail(run);
    lock.lock();
    call_until_memory_suffices(
        [&, &on_end = on_end] {
          if (state->wanted) on_end(end);
        },
        [] { return false; });
  }
  --state->threads;
}

}  // namespace muster::io
