// Parses files of /proc.
#include "io/process/processes.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/text/strings.h"

namespace muster::io {
namespace {

struct CloseDir {
  void operator()(DIR* dir) const { closedir(dir); }
};
using Dir = std::unique_ptr<DIR, CloseDir>;

// Reads a small file of /proc; unset if the process is gone.
std::optional<std::string> slurp(const char* path) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  std::string text;
  char buffer[4096];
  ssize_t count;
  while ((count = read(fd, buffer, sizeof buffer)) > 0)
    text.append(buffer, static_cast<std::size_t>(count));
  close(fd);
  if (count < 0) return std::nullopt;
  return text;
}

template <class Visit>
void each_pid(const char* folder, Visit&& visit) {
  Dir dir(opendir(folder));
  if (!dir) return;
  while (const dirent* entry = readdir(dir.get()))
    if (auto pid = parse_number<pid_t>(entry->d_name)) visit(*pid);
}

// The kernel lists children by the thread that forked them. False if it keeps no such lists.
bool append_children(pid_t pid, std::vector<pid_t>& out) {
  bool listed = true;
  each_pid(fmt::format("/proc/{}/task", pid).c_str(), [&](pid_t thread) {
    auto text = slurp(fmt::format("/proc/{}/task/{}/children", pid, thread).c_str());
    if (!text) {
      listed = listed && access(fmt::format("/proc/{}/task/{}", pid, thread).c_str(), F_OK) != 0;
      return;
    }
    for (std::string_view word : split_words(*text))
      if (auto child = parse_number<pid_t>(word)) out.push_back(*child);
  });
  return listed;
}

std::vector<pid_t> descendants_by_scan(pid_t root) {
  std::vector<std::pair<pid_t, pid_t>> parents;
  each_pid("/proc", [&](pid_t pid) {
    if (auto process = read_process(pid)) parents.emplace_back(process->parent, pid);
  });
  std::vector<pid_t> found{root};
  for (std::size_t i = 0; i < found.size(); ++i)
    for (const auto& [parent, pid] : parents)
      if (parent == found[i]) found.push_back(pid);
  found.erase(found.begin());
  return found;
}

}  // namespace

std::optional<ProcessInfo> read_process(pid_t pid) {
  auto text = slurp(fmt::format("/proc/{}/stat", pid).c_str());
  if (!text) return std::nullopt;
  // The name in parentheses may contain anything, so fields are counted from behind it.
  std::size_t name_end = text->rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::vector<std::string_view> words = split_words(std::string_view(*text).substr(name_end + 1));
  if (words.size() < 22) return std::nullopt;
  auto number = [&](std::size_t i) { return parse_number<std::uint64_t>(words[i]).value_or(0); };

  static const std::uint64_t tick_us = 1'000'000 / static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
  static const std::uint64_t page_kib = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) / 1024;
  ProcessInfo info;
  info.pid = pid;
  info.state = words[0][0];
  info.parent = static_cast<pid_t>(number(1));
  info.session = static_cast<pid_t>(number(3));
  constexpr std::uint64_t kExiting = 4;  // the kernel's PF_EXITING
  info.is_exiting = (number(6) & kExiting) != 0;
  info.user_cpu_us = number(11) * tick_us;
  info.system_cpu_us = number(12) * tick_us;
  info.started_ticks = number(19);
  info.vmem_kib = number(20) / 1024;
  info.rss_kib = number(21) * page_kib;
  return info;
}

std::string process_name(pid_t pid) {
  const auto text = slurp(fmt::format("/proc/{}/comm", pid).c_str());
  return text ? std::string(trim(*text)) : std::string();
}

namespace {

// Whether the signal is in this set of /proc/PID/status.
bool is_in_set(pid_t pid, std::string_view set, int signal) {
  const auto text = slurp(fmt::format("/proc/{}/status", pid).c_str());
  if (!text) return false;
  for (std::string_view line : split(*text, '\n')) {
    const std::vector<std::string_view> words = split_words(line);
    if (words.size() != 2 || words[0] != set) continue;
    std::uint64_t signals = 0;
    std::from_chars(words[1].data(), words[1].data() + words[1].size(), signals, 16);
    return signals >> (signal - 1) & 1;
  }
  return false;
}

}  // namespace

bool catches(pid_t pid, int signal) { return is_in_set(pid, "SigCgt:", signal); }

bool is_dying(pid_t pid) {
  const auto process = read_process(pid);
  return !process || process->state == 'Z' || process->is_exiting ||
         is_in_set(pid, "SigPnd:", SIGKILL) || is_in_set(pid, "ShdPnd:", SIGKILL);
}

ProcessIo read_process_io(pid_t pid) {
  ProcessIo io;
  auto text = slurp(fmt::format("/proc/{}/io", pid).c_str());
  if (!text) return io;
  for (std::string_view line : split(*text, '\n')) {
    std::vector<std::string_view> words = split_words(line);
    if (words.size() != 2) continue;
    if (words[0] == "rchar:") io.read_bytes = parse_number<std::uint64_t>(words[1]).value_or(0);
    if (words[0] == "wchar:") io.written_bytes = parse_number<std::uint64_t>(words[1]).value_or(0);
  }
  return io;
}

std::vector<pid_t> descendants(pid_t root) {
  std::vector<pid_t> found;
  if (!append_children(root, found)) return descendants_by_scan(root);
  for (std::size_t i = 0; i < found.size(); ++i) append_children(found[i], found);
  return found;
}

std::vector<pid_t> session_members(const std::set<pid_t>& sessions) {
  std::vector<pid_t> found;
  each_pid("/proc", [&](pid_t pid) {
    auto process = read_process(pid);
    if (process && process->state != 'Z' && sessions.contains(process->session))
      found.push_back(pid);
  });
  return found;
}

std::optional<uid_t> process_user(pid_t pid) {
  const auto text = slurp(fmt::format("/proc/{}/status", pid).c_str());
  if (!text) return std::nullopt;
  for (std::string_view line : split(*text, '\n')) {
    const std::vector<std::string_view> words = split_words(line);
    if (words.size() > 1 && words[0] == "Uid:") return parse_number<uid_t>(words[1]);
  }
  return std::nullopt;
}

namespace {

void set_oom_score(std::string_view score) {
  const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  (void)!write(fd, score.data(), score.size());
  close(fd);
}

}  // namespace

void spare_from_oom() { set_oom_score("-1000"); }
void be_like_others_for_oom() { set_oom_score("0"); }

}  // namespace muster::io
