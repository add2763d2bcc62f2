// Reads and writes the records of step files. Each has its length in front, so that a truncated
// record is not read.
#include "io/stepd/step_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/codec/codec.h"
#include "base/text/strings.h"
#include "io/process/processes.h"
#include "io/stepd/step_socket.h"

namespace muster::io {
namespace {

std::unexpected<Error> system_error(const std::string& what) {
  return fail(
      errno == ENOSPC || errno == EDQUOT ? ErrorCode::state_storage_full : ErrorCode::failure,
      fmt::format("{}: {}", what, std::strerror(errno)));
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

std::vector<std::string> names_in(const std::string& path) {
  std::vector<std::string> names;
  DIR* dir = opendir(path.c_str());
  if (!dir) return names;
  while (const dirent* entry = readdir(dir)) names.emplace_back(entry->d_name);
  closedir(dir);
  return names;
}

struct Record {
  std::optional<StepNote> note;
  std::optional<wire::StepEnd> end;
  template <class V>
  void fields(V& v) {
    v(1, note);
    v(2, end);
  }
};

using RecordSize = std::uint32_t;  // before each

Result<void> append(int fd, const Record& record) {
  const std::string bytes = encode(record);
  const auto size = static_cast<RecordSize>(bytes.size());
  std::string framed(reinterpret_cast<const char*>(&size), sizeof size);
  framed += bytes;
  const off_t before = lseek(fd, 0, SEEK_END);
  if (before < 0) return system_error("the step's file");
  if (write_all(fd, framed)) return {};
  auto error = system_error("the step's file");
  if (ftruncate(fd, before) != 0) return system_error("the step's file");
  return error;
}

// All records combined; later ones replace earlier ones. A truncated record is ignored.
Record read_records(const std::string& path) {
  Record all;
  const std::string bytes = read_file(path).value_or("");
  for (std::string_view rest = bytes; rest.size() >= sizeof(RecordSize);) {
    RecordSize size = 0;
    std::memcpy(&size, rest.data(), sizeof size);
    rest.remove_prefix(sizeof size);
    if (rest.size() < size) break;
    auto record = decode<Record>(rest.substr(0, size));
    rest.remove_prefix(size);
    if (record && record->note) all.note = std::move(record->note);
    if (record && record->end) all.end = std::move(record->end);
  }
  return all;
}

// Keeps an empty record. If a file is truncated to zero, ext4 thinks that it is being replaced, and
// writes it to disk when it is closed.
bool make_empty(int fd) {
  const RecordSize nothing = 0;
  return pwrite(fd, &nothing, sizeof nothing, 0) == static_cast<ssize_t>(sizeof nothing) &&
         ftruncate(fd, sizeof nothing) == 0;
}

// Reserves room for later records, so that the end of a started step can always be written. Not all
// file systems support that.
bool reserve(int fd) {
  constexpr off_t kRoom = 16 << 10;
  return fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, kRoom) == 0 || (errno != ENOSPC && errno != EDQUOT);
}

// Nothing = another process holds the lock.
std::optional<int> locked(int fd) {
  if (fd < 0) return std::nullopt;
  if (flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
  close(fd);
  return std::nullopt;
}

std::string socket_of(const std::string& file) { return file + kStepSocketSuffix; }

constexpr std::string_view kUnused = "unused.";
constexpr std::size_t kMostUnused = 64;

}  // namespace

std::string step_file_name(const wire::StepRef& ref) {
  if (ref.step == kBatchStep) return fmt::format("{}.{}.batch", ref.job.value, ref.attempt.value);
  return fmt::format("{}.{}.{}", ref.job.value, ref.attempt.value, ref.step.value);
}

std::optional<wire::StepRef> parse_step_file_name(std::string_view name) {
  auto parts = split(name, '.');
  if (parts.size() != 3) return std::nullopt;
  auto job = parse_number<std::uint32_t>(parts[0]);
  auto attempt = parse_number<std::uint32_t>(parts[1]);
  auto step =
      parts[2] == "batch" ? std::optional(kBatchStep.value) : parse_number<std::uint32_t>(parts[2]);
  if (!job || !attempt || !step) return std::nullopt;
  return wire::StepRef{JobId{*job}, Attempt{*attempt}, StepId{*step}};
}

std::vector<wire::StepRef> list_step_files(const std::string& steps_dir) {
  std::vector<wire::StepRef> found;
  for (const std::string& name : names_in(steps_dir))
    if (auto ref = parse_step_file_name(name)) found.push_back(*ref);
  return found;
}

bool is_step_alive(const std::string& file) {
  int fd = open(file.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return false;
  const bool locked = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(fd);
  return locked;
}

void remove_step_file(const std::string& file) {
  unlink(socket_of(file).c_str());
  unlink(file.c_str());
}

Result<void> write_step_note(int step_file, const StepNote& note) {
  return append(step_file, {.note = note, .end = {}});
}

Result<void> write_step_end(int step_file, const wire::StepEnd& end) {
  return append(step_file, {.note = {}, .end = end});
}

Result<void> write_step_end(const std::string& file, const wire::StepEnd& end) {
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return system_error(file);
  auto written = write_step_end(fd, end);
  close(fd);
  return written;
}

std::optional<StepNote> read_step_note(const std::string& file) { return read_records(file).note; }

std::optional<wire::StepEnd> read_step_end(const std::string& file) {
  return read_records(file).end;
}

std::vector<pid_t> session_members(const StepNote& note) {
  std::set<pid_t> sessions;
  for (std::uint32_t number : note.sessions) {
    const auto pid = static_cast<pid_t>(number);
    const auto known = note.leaders.find(number);
    const auto now = read_process(pid);
    if (!now || known == note.leaders.end() || now->started_ticks == known->second)
      sessions.insert(pid);
  }
  if (sessions.empty()) return {};
  std::vector<pid_t> found = session_members(sessions);
  std::erase_if(found, [&](pid_t pid) { return process_user(pid) != note.uid.value; });
  return found;
}

Result<int> StepFiles::create(const std::string& name) {
  const std::string path = path_of(name);
  std::optional<int> fd = reuse(path);
  if (!fd) {
    const int made = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (made < 0) return system_error(path);
    fd = locked(made);
  }
  if (!fd) return fail(path + " is in use");
  if (reserve(*fd)) return *fd;
  auto error = system_error(path);
  close(*fd);
  remove_step_file(path);
  return error;
}

// A slurmstepd that is still ending has its file locked; such a file is not reused.
std::optional<int> StepFiles::reuse(const std::string& path) {
  if (unused_.empty()) return std::nullopt;
  const std::string unused = std::move(unused_.back());
  unused_.pop_back();
  const auto fd = locked(open(unused.c_str(), O_RDWR | O_CLOEXEC));
  if (fd && make_empty(*fd) &&
      renameat2(AT_FDCWD, unused.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) == 0)
    return fd;
  if (fd) close(*fd);
  unlink(unused.c_str());
  return std::nullopt;
}

void StepFiles::forget(const std::string& name) {
  const std::string path = path_of(name);
  const std::string unused = path_of(fmt::format("{}{}", kUnused, next_++));
  if (unused_.size() >= kMostUnused || rename(path.c_str(), unused.c_str()) != 0)
    return remove_step_file(path);
  unlink(socket_of(path).c_str());
  unused_.push_back(unused);
}

void StepFiles::remove_unused() {
  for (const std::string& name : names_in(dir_))
    if (name.starts_with(kUnused)) unlink(path_of(name).c_str());
}

}  // namespace muster::io
