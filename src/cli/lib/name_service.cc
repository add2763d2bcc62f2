// Looks up users and groups in /etc/passwd and /etc/group, then with getent(1).
#include "cli/lib/name_service.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>
#include <vector>

#include "base/text/strings.h"
#include "io/files.h"

extern char** environ;

namespace muster::cli {

namespace {

// "name:x:1000:1000:Gecos:/home/name:/bin/bash", or "name:x:1000:members" of a group.
using Fields = std::vector<std::string_view>;
enum Field : std::size_t { kName = 0, kId = 2, kGroup = 3, kFullName = 4, kHome = 5, kShell = 6 };

std::string_view field(const Fields& fields, Field at) {
  return at < fields.size() ? fields[at] : std::string_view{};
}

std::optional<Fields> line_with(std::string_view text, Field where, std::string_view key) {
  for (std::string_view line : split(text, '\n'))
    if (Fields fields = split(line, ':'); fields.size() > kId && fields[where] == key)
      return fields;
  return std::nullopt;
}

std::string read_to_end(int fd) {
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t got = 0; (got = ::read(fd, part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(got));
  return text;
}

// The output of "getent DATABASE KEY"; nothing if there is no such key or getent cannot be run.
std::string ask_getent(const char* database, std::string_view key) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::string asked(key);
  std::array<char*, 5> argv{const_cast<char*>("getent"), const_cast<char*>("--"),
                            const_cast<char*>(database), asked.data(), nullptr};
  pid_t child = 0;
  const bool started =
      ::posix_spawnp(&child, "getent", &actions, nullptr, argv.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string answer = started ? read_to_end(ends[0]) : std::string{};
  ::close(ends[0]);
  if (started) ::waitpid(child, nullptr, 0);
  return answer;
}

template <class Entry>
std::optional<Entry> look_up(const char* file, const char* database, Field where,
                             std::string_view key, std::optional<Entry> (*entry)(const Fields&)) {
  if (key.empty()) return std::nullopt;
  if (auto text = io::read_file(file))
    if (auto fields = line_with(*text, where, key)) return entry(*fields);
  std::string answer = ask_getent(database, key);
  auto fields = line_with(answer, where, key);
  return fields ? entry(*fields) : std::nullopt;
}

std::optional<UserEntry> to_user(const Fields& fields) {
  auto uid = parse_number<std::uint32_t>(field(fields, kId));
  auto gid = parse_number<std::uint32_t>(field(fields, kGroup));
  if (!uid || !gid) return std::nullopt;
  const std::string_view full = field(fields, kFullName);
  return UserEntry{.name = std::string(field(fields, kName)),
                   .uid = Uid{*uid},
                   .gid = Gid{*gid},
                   .home = std::string(field(fields, kHome)),
                   .shell = std::string(field(fields, kShell)),
                   .full_name = std::string(full.substr(0, full.find(',')))};
}

std::optional<GroupEntry> to_group(const Fields& fields) {
  auto gid = parse_number<std::uint32_t>(field(fields, kId));
  if (!gid) return std::nullopt;
  return GroupEntry{.name = std::string(field(fields, kName)), .gid = Gid{*gid}};
}

}  // namespace

std::optional<UserEntry> user_named(std::string_view name) {
  return look_up("/etc/passwd", "passwd", kName, name, to_user);
}

std::optional<UserEntry> user_with(Uid uid) {
  return look_up("/etc/passwd", "passwd", kId, std::to_string(uid.value), to_user);
}

std::optional<GroupEntry> group_named(std::string_view name) {
  return look_up("/etc/group", "group", kName, name, to_group);
}

std::optional<GroupEntry> group_with(Gid gid) {
  return look_up("/etc/group", "group", kId, std::to_string(gid.value), to_group);
}

}  // namespace muster::cli
