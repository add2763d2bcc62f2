// Adds up usage, and samples the memory of process trees.
#include "step/usage.h"

#include <algorithm>

namespace muster::step {
namespace {

std::uint64_t microseconds(const timeval& t) {
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(t.tv_usec);
}

}  // namespace

void UsageMeter::sample(const std::vector<Task>& tasks) {
  sampled_rss_kib_ = 0;
  for (const Task& task : tasks) {
    if (task.pid == 0 || task.ended || task.epilog != 0) continue;
    std::vector<pid_t> tree = io::descendants(task.pid);
    tree.push_back(task.pid);
    OfTask& usage = tasks_[task.rank];
    usage.live = {};
    usage.live_cpu_us = 0;
    std::uint64_t rss_kib = 0, vmem_kib = 0;
    for (pid_t pid : tree) {
      auto process = io::read_process(pid);
      if (!process) continue;
      rss_kib += process->rss_kib;
      vmem_kib += process->vmem_kib;
      usage.live_cpu_us += process->user_cpu_us + process->system_cpu_us;
      const io::ProcessIo moved = io::read_process_io(pid);
      usage.live.read_bytes += moved.read_bytes;
      usage.live.written_bytes += moved.written_bytes;
    }
    usage.rss_kib = std::max(usage.rss_kib, rss_kib);
    usage.vmem_kib = std::max(usage.vmem_kib, vmem_kib);
    sampled_rss_kib_ += rss_kib;
  }
}

void UsageMeter::add_waited(const rusage& used, const io::ProcessIo& moved, std::uint32_t rank) {
  OfTask& usage = tasks_[rank];
  usage.user_us += microseconds(used.ru_utime);
  usage.system_us += microseconds(used.ru_stime);
  usage.pages += static_cast<std::uint64_t>(used.ru_majflt);
  usage.rss_kib = std::max(usage.rss_kib, static_cast<std::uint64_t>(used.ru_maxrss));
  usage.ended.read_bytes += moved.read_bytes;
  usage.ended.written_bytes += moved.written_bytes;
  usage.live = {};
  usage.live_cpu_us = 0;
}

Usage UsageMeter::total() const {
  Usage total;
  for (const auto& [rank, task] : tasks_) {
    total.user_cpu_us += task.user_us;
    total.system_cpu_us += task.system_us;
    total.cpu_us.note(task.user_us + task.system_us + task.live_cpu_us, node_, rank);
    total.rss_kib.note(task.rss_kib, node_, rank);
    total.vmem_kib.note(task.vmem_kib, node_, rank);
    total.pages.note(task.pages, node_, rank);
    total.read_bytes.note(task.ended.read_bytes + task.live.read_bytes, node_, rank);
    total.written_bytes.note(task.ended.written_bytes + task.live.written_bytes, node_, rank);
  }
  return total;
}

}  // namespace muster::step
