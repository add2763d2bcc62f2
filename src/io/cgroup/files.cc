// Opens, reads and writes files below a control group's directory.
#include "io/cgroup/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/text/strings.h"

namespace muster::io {

Result<void> write_group(const std::string& dir, std::string_view file, std::string_view text) {
  const std::string path = fmt::format("{}/{}", dir, file);
  int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  ssize_t count = fd < 0 ? -1 : write(fd, text.data(), text.size());
  const int error = errno;
  if (fd >= 0) close(fd);
  if (count == static_cast<ssize_t>(text.size())) return {};
  return fail(fmt::format("cannot write {} to {}: {}", text, path, std::strerror(error)));
}

std::string read_group(const std::string& dir, std::string_view file) {
  const std::string path = fmt::format("{}/{}", dir, file);
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  std::string text;
  char buffer[4096];
  ssize_t count;
  while ((count = read(fd, buffer, sizeof buffer)) > 0)
    text.append(buffer, static_cast<std::size_t>(count));
  close(fd);
  return std::string(trim(text));
}

bool has_group_file(const std::string& dir, std::string_view file) {
  return access(fmt::format("{}/{}", dir, file).c_str(), F_OK) == 0;
}

std::optional<std::uint64_t> group_value(const std::string& dir, std::string_view file,
                                         std::string_view word) {
  const std::string text = read_group(dir, file);
  for (std::string_view line : split(text, '\n')) {
    const std::vector<std::string_view> words = split_words(line);
    if (words.size() == 2 && words[0] == word) return parse_number<std::uint64_t>(words[1]);
  }
  return std::nullopt;
}

std::vector<pid_t> group_processes(const std::string& dir) {
  std::vector<pid_t> found;
  auto add = [&](const std::string& group) {
    const std::string text = read_group(group, "cgroup.procs");
    for (std::string_view word : split_words(text))
      if (auto pid = parse_number<pid_t>(word)) found.push_back(*pid);
  };
  add(dir);
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(dir, error))
    if (entry.is_directory(error)) add(entry.path().string());
  return found;
}

Result<void> make_group(const std::string& mount, std::string_view path) {
  std::string dir = mount;
  for (std::string_view part : split(path, '/')) {
    dir += fmt::format("/{}", part);
    if (mkdir(dir.c_str(), 0755) != 0 && errno != EEXIST)
      return fail(fmt::format("cannot make the group {}: {}", dir, std::strerror(errno)));
  }
  return {};
}

void remove_group(const std::string& mount, std::string path) {
  while (path.find('/') != std::string::npos) {
    if (rmdir(fmt::format("{}/{}", mount, path).c_str()) != 0 && errno != ENOENT) return;
    path.resize(path.rfind('/'));
  }
}

}  // namespace muster::io
