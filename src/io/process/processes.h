// Processes as /proc shows them: who descends from whom, and what each one uses.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace muster::io {

struct ProcessInfo {
  pid_t pid = 0, parent = 0, session = 0;
  char state = '?';
  std::uint64_t user_cpu_us = 0, system_cpu_us = 0;
  std::uint64_t rss_kib = 0, vmem_kib = 0;
  std::uint64_t started_ticks = 0;  // after the boot: tells it from another of the same number
};
std::optional<ProcessInfo> read_process(pid_t pid);
std::string process_name(pid_t pid);  // its program's, at most 15 characters; empty = it is gone

bool catches(pid_t pid, int signal);  // has a handler of its own for it

struct ProcessIo {
  std::uint64_t read_bytes = 0, written_bytes = 0;
};
ProcessIo read_process_io(pid_t pid);  // zeros where it cannot be read

// All processes below this one, not itself. A process that forks meanwhile may hide a child:
// whoever kills a tree repeats until wait() knows of no more children.
std::vector<pid_t> descendants(pid_t root);

// Members of these sessions.
std::vector<pid_t> session_members(const std::set<pid_t>& sessions);
std::optional<uid_t> process_user(pid_t pid);  // its real one

// The kernel's choice of whom to kill when memory is short: never this process, until it is undone
// in a child. Async-signal-safe.
void spare_from_oom();
void be_like_others_for_oom();

}  // namespace muster::io
