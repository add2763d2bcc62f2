// processes: reads /proc: which processes descend from which, and what each one uses.
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
  bool is_exiting = false;
  std::uint64_t user_cpu_us = 0, system_cpu_us = 0;
  std::uint64_t rss_kib = 0, vmem_kib = 0;
  std::uint64_t started_ticks = 0;  // since boot: distinguishes processes that reuse a pid
};
std::optional<ProcessInfo> read_process(pid_t pid);
std::string process_name(pid_t pid);  // at most 15 characters; empty = the process is gone

bool catches(pid_t pid, int signal);  // the process has a handler for it
// It has been killed, or is at its end, although it still holds what it had.
bool is_dying(pid_t pid);

struct ProcessIo {
  std::uint64_t read_bytes = 0, written_bytes = 0;
};
ProcessIo read_process_io(pid_t pid);  // zeros if it cannot be read

// All descendants of this process, without itself. A child that is forked meanwhile may be missed:
// to kill a whole tree, repeat until wait() finds no more children.
std::vector<pid_t> descendants(pid_t root);

// All processes in these sessions.
std::vector<pid_t> session_members(const std::set<pid_t>& sessions);
std::optional<uid_t> process_user(pid_t pid);  // the real user id

// spare_from_oom: the kernel never kills this process when memory is short. Children inherit that,
// so they call the other function to undo it. Both are async-signal-safe.
void spare_from_oom();
void be_like_others_for_oom();

}  // namespace muster::io
