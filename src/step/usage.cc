#include "step/usage.h"

#include <algorithm>

#include "io/processes.h"

namespace muster::step {
namespace {

std::uint64_t microseconds(const timeval& t) {
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(t.tv_usec);
}

}  // namespace

void UsageMeter::sample(const std::vector<Task>& tasks) {
  std::uint64_t read_bytes = 0, written_bytes = 0;
  for (const Task& task : tasks) {
    if (task.pid == 0 || task.ended) continue;
    std::vector<pid_t> tree = io::descendants(task.pid);
    tree.push_back(task.pid);
    std::uint64_t rss_kib = 0, vmem_kib = 0;
    for (pid_t pid : tree) {
      auto process = io::read_process(pid);
      if (!process) continue;
      rss_kib += process->rss_kib;
      vmem_kib += process->vmem_kib;
      io::ProcessIo moved = io::read_process_io(pid);
      read_bytes += moved.read_bytes;
      written_bytes += moved.written_bytes;
    }
    note_peaks(rss_kib, vmem_kib, task.rank);
  }
  // Counters of processes that have ended are gone from /proc: the largest sum seen is kept.
  total_.read_bytes = std::max(total_.read_bytes, read_bytes);
  total_.written_bytes = std::max(total_.written_bytes, written_bytes);
}

void UsageMeter::add_waited(const rusage& used, std::uint32_t rank) {
  total_.user_cpu_us += microseconds(used.ru_utime);
  total_.system_cpu_us += microseconds(used.ru_stime);
  note_peaks(static_cast<std::uint64_t>(used.ru_maxrss), 0, rank);
}

void UsageMeter::note_peaks(std::uint64_t rss_kib, std::uint64_t vmem_kib, std::uint32_t rank) {
  total_.max_vmem_kib = std::max(total_.max_vmem_kib, vmem_kib);
  if (rss_kib <= total_.max_rss_kib) return;
  total_.max_rss_kib = rss_kib;
  total_.max_rss_node = node_;
  total_.max_rss_task = rank;
}

}  // namespace muster::step
