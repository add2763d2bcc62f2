#include "io/step_socket_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/codec.h"
#include "base/strings.h"

namespace muster::io {
namespace {

std::unexpected<Error> system_error(const std::string& what) {
  return fail(fmt::format("{}: {}", what, std::strerror(errno)));
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t count = write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

std::optional<std::string> read_file(const std::string& path) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  std::string bytes;
  char buffer[4096];
  ssize_t count;
  while ((count = read(fd, buffer, sizeof buffer)) > 0)
    bytes.append(buffer, static_cast<std::size_t>(count));
  close(fd);
  if (count < 0) return std::nullopt;
  return bytes;
}

template <class T>
std::optional<T> read_struct(const std::string& path) {
  auto bytes = read_file(path);
  if (!bytes || bytes->empty()) return std::nullopt;
  auto value = decode<T>(*bytes);
  if (!value) return std::nullopt;
  return std::move(*value);
}

}  // namespace

std::string step_dir_name(const wire::StepRef& ref) {
  if (ref.step == kBatchStep) return fmt::format("{}.{}.batch", ref.job.value, ref.attempt.value);
  return fmt::format("{}.{}.{}", ref.job.value, ref.attempt.value, ref.step.value);
}

std::optional<wire::StepRef> parse_step_dir_name(std::string_view name) {
  auto parts = split(name, '.');
  if (parts.size() != 3) return std::nullopt;
  auto job = parse_number<std::uint32_t>(parts[0]);
  auto attempt = parse_number<std::uint32_t>(parts[1]);
  auto step =
      parts[2] == "batch" ? std::optional(kBatchStep.value) : parse_number<std::uint32_t>(parts[2]);
  if (!job || !attempt || !step) return std::nullopt;
  return wire::StepRef{JobId{*job}, Attempt{*attempt}, StepId{*step}};
}

std::vector<wire::StepRef> list_step_dirs(const std::string& steps_dir) {
  std::vector<wire::StepRef> found;
  DIR* dir = opendir(steps_dir.c_str());
  if (!dir) return found;
  while (const dirent* entry = readdir(dir))
    if (auto ref = parse_step_dir_name(entry->d_name)) found.push_back(*ref);
  closedir(dir);
  return found;
}

Result<int> create_step_dir(const std::string& dir) {
  if (mkdir(dir.c_str(), 0700) != 0 && errno != EEXIST) return system_error(dir);
  int fd = open((dir + "/stepd").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return system_error(dir + "/stepd");
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    auto error = system_error(dir + " is in use");
    close(fd);
    return error;
  }
  return fd;
}

bool is_step_alive(const std::string& dir) {
  int fd = open((dir + "/stepd").c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return false;
  const bool locked = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(fd);
  return locked;
}

void remove_step_dir(const std::string& dir) {
  for (const char* name : {"/end", "/end.new", "/socket", "/stepd"}) unlink((dir + name).c_str());
  rmdir(dir.c_str());
}

Result<void> write_step_note(int lock_fd, const StepNote& note) {
  if (lseek(lock_fd, 0, SEEK_SET) != 0 || !write_all(lock_fd, encode(note)))
    return system_error("the step's note");
  return {};
}

std::optional<StepNote> read_step_note(const std::string& dir) {
  return read_struct<StepNote>(dir + "/stepd");
}

Result<void> write_step_end(const std::string& dir, const wire::StepEnd& end) {
  const std::string temporary = dir + "/end.new";
  int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return system_error(temporary);
  const bool written = write_all(fd, encode(end));
  if (close(fd) != 0 || !written) return system_error(temporary);
  if (rename(temporary.c_str(), (dir + "/end").c_str()) != 0) return system_error(dir + "/end");
  return {};
}

std::optional<wire::StepEnd> read_step_end(const std::string& dir) {
  return read_struct<wire::StepEnd>(dir + "/end");
}

}  // namespace muster::io
