// Opens the files of tasks, and shares descriptors between tasks.
#include "step/tasks/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/text/strings.h"
#include "step/logic/file_pattern.h"
#include "step/tasks/setup.h"

namespace muster::step {
namespace {

// Creates missing parent directories. Errors show when the file is opened.
void make_parents(const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1))
    mkdir(path.substr(0, slash).c_str(), 0777);
}

bool is_fifo(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

// Opens without waiting for the other end of a FIFO. Tasks get a blocking descriptor, except of a
// FIFO, to which this process writes.
int open_at_once(const std::string& path, int flags) {
  const int fd = open(path.c_str(), flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
  struct stat status{};
  if (fd >= 0 && fstat(fd, &status) == 0 && !S_ISFIFO(status.st_mode)) fcntl(fd, F_SETFL, flags);
  return fd;
}

}  // namespace

Files::~Files() {
  for (const auto& [path, fd] : opened_) close(fd);
}

Result<TaskFiles> Files::open_for(std::uint32_t rank) {
  const wire::StepLaunch& launch = setup_.launch;
  std::string_view out_pattern = launch.task.std_out;
  if (is_batch() && out_pattern.empty()) out_pattern = default_output_pattern(launch);
  std::string_view in_pattern = launch.task.std_in;
  if (is_batch() && in_pattern.empty()) in_pattern = "/dev/null";

  Result<Opened> in = open_input(in_pattern, rank);
  if (!in) return std::unexpected(in.error());
  Result<Opened> out = open_output(out_pattern, rank);
  if (!out) return std::unexpected(out.error());
  TaskFiles files{.in = in->fd,
                  .out = out->fd,
                  .err = out->fd,
                  .in_path = in->path,
                  .out_path = out->path,
                  .err_path = out->path};
  if (launch.task.std_err.empty()) return files;
  Result<Opened> err = open_output(launch.task.std_err, rank);
  if (!err) return std::unexpected(err.error());
  files.err = err->fd;
  files.err_path = err->path;
  return files;
}

Result<Files::Opened> Files::open_output(std::string_view pattern, std::uint32_t rank) {
  if (pattern.empty()) return Opened{};
  if (!is_batch()) {
    // srun sends "none", and a rank if only that task's output is wanted.
    if (pattern == "none") return open_path("/dev/null", O_WRONLY);
    if (auto only = parse_number<std::uint32_t>(pattern)) {
      if (*only == rank) return Opened{};
      return open_path("/dev/null", O_WRONLY);
    }
  }
  const bool append = setup_.launch.task.open_mode == OpenMode::append;
  return open_path(expand_file_pattern(pattern, setup_, rank),
                   O_WRONLY | O_CREAT | O_APPEND | (append ? 0 : O_TRUNC));
}

Result<Files::Opened> Files::open_input(std::string_view pattern, std::uint32_t rank) {
  if (pattern.empty()) return Opened{};
  if (!is_batch()) {
    if (pattern == "none") return open_path("/dev/null", O_RDONLY);
    if (auto only = parse_number<std::uint32_t>(pattern)) {
      if (*only == rank) return Opened{};
      return open_path("/dev/null", O_RDONLY);
    }
  }
  // Each task reads from the beginning, so it needs a descriptor of its own.
  const std::string path = expand_file_pattern(pattern, setup_, rank);
  AsUser user(setup_);
  if (user.ok() && is_fifo(path)) return Opened{kOpenedByTask, path};
  int fd = user.ok() ? open_at_once(path, O_RDONLY) : -1;
  if (fd < 0)
    return fail(fmt::format("Could not open stdin file {}: {}", path, std::strerror(errno)));
  opened_.emplace(fmt::format("<{}", fd), fd);
  return Opened{fd, {}};
}

Result<Files::Opened> Files::open_path(const std::string& path, int flags) {
  if (auto known = opened_.find(path); known != opened_.end()) return Opened{known->second, {}};
  if (path.empty()) return fail("Could not open a file without a name");
  if (path[0] != '/' && !work_dir_exists_)
    return fail(fmt::format("Could not open stdout file {}/{}: No such file or directory",
                            setup_.launch.task.work_dir.view(), path));
  AsUser user(setup_);
  // With srun -l this process writes to the FIFO; otherwise the task opens it.
  if (user.ok() && !setup_.launch.task.label && is_fifo(path)) return Opened{kOpenedByTask, path};
  int fd = user.ok() ? open_at_once(path, flags) : -1;
  if (fd < 0 && errno == ENOENT && (flags & O_CREAT) != 0 && path.find('/') != std::string::npos) {
    make_parents(path);
    fd = open_at_once(path, flags);
  }
  if (fd < 0)
    return fail(fmt::format("Could not open stdout file {}: {}", path,
                            errno == ENXIO ? "nobody reads from it" : std::strerror(errno)));
  opened_.emplace(path, fd);
  return Opened{fd, {}};
}

bool open_fifos(TaskFiles& files) {
  auto open_one = [](int& fd, const std::string& path, int flags) {
    if (fd != kOpenedByTask) return true;
    fd = open(path.c_str(), flags | O_NOCTTY | O_CLOEXEC);
    return fd >= 0;
  };
  if (!open_one(files.in, files.in_path, O_RDONLY)) return false;
  const bool is_shared = files.err == kOpenedByTask && files.err_path == files.out_path;
  if (!open_one(files.out, files.out_path, O_WRONLY)) return false;
  if (is_shared) files.err = files.out;
  return open_one(files.err, files.err_path, O_WRONLY);
}

// Tasks need a blocking descriptor, so a FIFO or a stopped terminal is opened a second time.
void ErrorFile::write_line(const StepSetup& setup, std::string line) const {
  line += '\n';
  struct stat status{};
  const bool is_regular = fd_ >= 0 && fstat(fd_, &status) == 0 && S_ISREG(status.st_mode);
  int fd = fd_;
  if (!is_regular) {
    const std::string path = fd_ >= 0 ? fmt::format("/proc/self/fd/{}", fd_) : path_;
    AsUser user(setup);
    fd = user.ok() ? open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
  }
  if (fd < 0) return;
  (void)!write(fd, line.data(), line.size());
  if (fd != fd_) close(fd);
}

}  // namespace muster::step
