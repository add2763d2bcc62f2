// Writes the files of control groups of version 2.
#include "io/cgroup/v2.h"

#include <fmt/format.h>

#include <csignal>

#include "base/text/strings.h"
#include "io/cgroup/files.h"

namespace muster::io {

CgroupV2::CgroupV2(const Confinement& confinement)
    : confinement_(confinement),
      job_dir_(fmt::format("{}/{}", confinement.mountpoint.view(), confinement.job_path.view())),
      step_dir_(fmt::format("{}/{}", confinement.mountpoint.view(), confinement.step_path.view())) {
}

Result<void> CgroupV2::make() {
  if (auto made = make_group(confinement_.mountpoint.str(), confinement_.step_path); !made)
    return made;
  if (auto done = delegate_controllers(); !done) return done;
  if (confinement_.step_memory_bytes) {
    if (auto set =
            limit_memory(job_dir_, confinement_.job_memory_bytes, confinement_.job_swap_bytes);
        !set)
      return set;
    if (auto set =
            limit_memory(step_dir_, confinement_.step_memory_bytes, confinement_.step_swap_bytes);
        !set)
      return set;
  }
  if (!confinement_.cpus.empty())
    if (auto set = write_group(step_dir_, "cpuset.cpus", confinement_.cpus.text()); !set)
      return set;
  if (!confinement_.denied_devices.empty())
    return deny_devices(step_dir_, confinement_.denied_devices);
  return {};
}

// A group can only use controllers that every group above it passes on.
Result<void> CgroupV2::delegate_controllers() {
  std::vector<std::string_view> wanted;
  if (confinement_.step_memory_bytes) wanted.push_back("+memory");
  if (!confinement_.cpus.empty()) wanted.push_back("+cpuset");
  if (wanted.empty()) return {};
  const std::string text = fmt::format("{}", fmt::join(wanted, " "));
  std::string dir = confinement_.mountpoint.str();
  for (std::string_view part : split(confinement_.step_path.view(), '/')) {
    if (auto set = write_group(dir, "cgroup.subtree_control", text); !set) return set;
    dir += fmt::format("/{}", part);
  }
  return {};
}

Result<void> CgroupV2::limit_memory(const std::string& dir, std::optional<std::uint64_t> bytes,
                                    std::optional<std::uint64_t> swap) {
  if (auto set = write_group(dir, "memory.max", std::to_string(*bytes)); !set) return set;
  if (!swap) return {};
  return write_group(dir, "memory.swap.max", std::to_string(*swap));
}

Result<void> CgroupV2::enter() const { return write_group(step_dir_, "cgroup.procs", "0"); }

std::vector<pid_t> CgroupV2::processes() const { return group_processes(step_dir_); }

void CgroupV2::kill() {
  if (has_group_file(step_dir_, "cgroup.kill") && write_group(step_dir_, "cgroup.kill", "1"))
    return;
  for (pid_t pid : processes()) ::kill(pid, SIGKILL);
}

Result<void> CgroupV2::freeze(bool frozen) {
  return write_group(step_dir_, "cgroup.freeze", frozen ? "1" : "0");
}

std::uint64_t CgroupV2::oom_kills() const {
  return group_value(step_dir_, "memory.events", "oom_kill").value_or(0);
}

std::uint64_t CgroupV2::memory_peak_kib() const {
  return parse_number<std::uint64_t>(read_group(step_dir_, "memory.peak")).value_or(0) >> 10;
}

void CgroupV2::remove() {
  remove_group(confinement_.mountpoint.str(), confinement_.step_path.str());
}

}  // namespace muster::io
