// Interprets the options -i, -o and -e, and opens srun's own files.
#include "cli/srun/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "base/text/strings.h"

namespace muster::cli {

namespace {

bool make_directories(const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != path.npos; slash = path.find('/', slash + 1))
    if (mkdir(path.substr(0, slash).c_str(), 0777) != 0 && errno != EEXIST) return false;
  return true;
}

}  // namespace

StreamTarget stream_target(std::string_view option) {
  using Kind = StreamTarget::Kind;
  if (option.empty() || iequals(option, "all")) return {};
  if (iequals(option, "none")) return {Kind::nothing, 0, {}};
  if (auto rank = parse_number<std::uint32_t>(option)) return {Kind::one_task, *rank, {}};
  if (names_each_task(option)) return {Kind::nodes, 0, std::string(option)};
  return {Kind::file, 0, std::string(option)};
}

StreamTarget StreamTarget::in_step_of(std::uint32_t num_tasks) const {
  if (kind != Kind::one_task || rank < num_tasks) return *this;
  return {Kind::file, 0, std::to_string(rank)};
}

std::string absolute_path(std::string_view path) {
  if (path.starts_with('/')) return std::string(path);
  char* here = get_current_dir_name();
  std::string absolute = fmt::format("{}/{}", here ? here : "", path);
  std::free(here);
  return absolute;
}

Result<int> open_output(const std::string& path, OpenMode mode) {
  int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (mode == OpenMode::append ? O_APPEND : O_TRUNC);
  int fd = open(path.c_str(), flags, 0666);
  if (fd < 0 && errno == ENOENT && make_directories(path)) fd = open(path.c_str(), flags, 0666);
  if (fd < 0) return fail(std::strerror(errno));
  return fd;
}

Result<int> open_input(const std::string& path) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return fail(std::strerror(errno));
  return fd;
}

}  // namespace muster::cli
