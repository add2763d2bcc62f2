#include "step/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/strings.h"
#include "node/file_pattern.h"
#include "step/setup.h"

namespace muster::step {
namespace {

// Every directory above the file that is missing; errors show when the file is opened.
void make_parents(const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1))
    mkdir(path.substr(0, slash).c_str(), 0777);
}

}  // namespace

Files::~Files() {
  for (const auto& [path, fd] : opened_) close(fd);
}

Result<TaskFiles> Files::open_for(std::uint32_t rank) {
  const wire::StepLaunch& launch = setup_.launch;
  std::string_view out_pattern = launch.std_out;
  if (is_batch() && out_pattern.empty()) out_pattern = default_output_pattern(launch);
  std::string_view in_pattern = launch.std_in;
  if (is_batch() && in_pattern.empty()) in_pattern = "/dev/null";

  Result<int> in = open_input(in_pattern, rank);
  if (!in) return std::unexpected(in.error());
  Result<int> out = open_output(out_pattern, rank);
  if (!out) return std::unexpected(out.error());
  TaskFiles files{.in = *in, .out = *out, .err = *out};
  if (launch.std_err.empty()) return files;
  Result<int> err = open_output(launch.std_err, rank);
  if (!err) return std::unexpected(err.error());
  files.err = *err;
  return files;
}

Result<int> Files::open_output(std::string_view pattern, std::uint32_t rank) {
  if (pattern.empty()) return kToClient;
  if (!is_batch()) {
    // srun's own words: "none", and a rank whose output alone is wanted.
    if (pattern == "none") return open_path("/dev/null", O_WRONLY);
    if (auto only = parse_number<std::uint32_t>(pattern)) {
      if (*only == rank) return kToClient;
      return open_path("/dev/null", O_WRONLY);
    }
  }
  const bool append = setup_.launch.open_mode == OpenMode::append;
  return open_path(expand_file_pattern(pattern, setup_, rank),
                   O_WRONLY | O_CREAT | O_APPEND | (append ? 0 : O_TRUNC));
}

Result<int> Files::open_input(std::string_view pattern, std::uint32_t rank) {
  if (pattern.empty()) return kToClient;
  if (!is_batch()) {
    if (pattern == "none") return open_path("/dev/null", O_RDONLY);
    if (auto only = parse_number<std::uint32_t>(pattern)) {
      if (*only == rank) return kToClient;
      return open_path("/dev/null", O_RDONLY);
    }
  }
  // Each task reads from the start: its own descriptor, so no sharing through opened_.
  const std::string path = expand_file_pattern(pattern, setup_, rank);
  AsUser user(setup_);
  int fd = user.ok() ? open(path.c_str(), O_RDONLY | O_CLOEXEC) : -1;
  if (fd < 0)
    return fail(fmt::format("Could not open stdin file {}: {}", path, std::strerror(errno)));
  opened_.emplace(fmt::format("<{}", fd), fd);
  return fd;
}

Result<int> Files::open_path(const std::string& path, int flags) {
  if (auto known = opened_.find(path); known != opened_.end()) return known->second;
  if (path.empty()) return fail("Could not open a file without a name");
  if (path[0] != '/' && !work_dir_exists_)
    return fail(fmt::format("Could not open stdout file {}/{}: No such file or directory",
                            setup_.launch.work_dir.view(), path));
  AsUser user(setup_);
  int fd = user.ok() ? open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY, 0666) : -1;
  if (fd < 0 && errno == ENOENT && (flags & O_CREAT) != 0 && path.find('/') != std::string::npos) {
    make_parents(path);
    fd = open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY, 0666);
  }
  if (fd < 0)
    return fail(fmt::format("Could not open stdout file {}: {}", path, std::strerror(errno)));
  opened_.emplace(path, fd);
  return fd;
}

}  // namespace muster::step
