// Writes the files of control groups of version 1.
#include "io/cgroup/v1.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <csignal>

#include "base/text/strings.h"
#include "io/cgroup/files.h"

namespace muster::io {
namespace {

// The freezer's hierarchy tracks the step's processes.
constexpr std::string_view kTracking = "freezer";
constexpr std::string_view kControllers[] = {kTracking, "memory", "cpuset", "devices"};

}  // namespace

std::string CgroupV1::mount(std::string_view controller) const {
  return fmt::format("{}/{}", confinement_.mountpoint.view(), controller);
}

std::string CgroupV1::step_dir(std::string_view controller) const {
  return fmt::format("{}/{}", mount(controller), confinement_.step_path.view());
}

bool CgroupV1::uses(std::string_view controller) const {
  if (controller == kTracking) return true;
  if (controller == "memory") return confinement_.step_memory_bytes.has_value();
  if (controller == "cpuset") return !confinement_.cpus.empty();
  return !confinement_.denied_devices.empty();
}

Result<void> CgroupV1::make() {
  for (std::string_view controller : kControllers) {
    if (!uses(controller)) continue;
    if (auto made = make_group(mount(controller), confinement_.step_path); !made) return made;
  }
  if (uses("memory")) {
    const std::string job_dir = fmt::format("{}/{}", mount("memory"), confinement_.job_path.view());
    if (auto set =
            limit_memory(job_dir, confinement_.job_memory_bytes, confinement_.job_swap_bytes);
        !set)
      return set;
    if (auto set = limit_memory(step_dir("memory"), confinement_.step_memory_bytes,
                                confinement_.step_swap_bytes);
        !set)
      return set;
  }
  if (uses("cpuset"))
    if (auto set = limit_cpus(); !set) return set;
  if (uses("devices")) return limit_devices();
  return {};
}

Result<void> CgroupV1::limit_memory(const std::string& dir, std::optional<std::uint64_t> bytes,
                                    std::optional<std::uint64_t> swap) {
  // The kernel refuses a memory limit above the limit with swap. If that one is already set, both
  // have the same values as now.
  if (auto set = write_group(dir, "memory.limit_in_bytes", std::to_string(*bytes)); !set)
    return set;
  if (swap && has_group_file(dir, "memory.memsw.limit_in_bytes"))
    if (auto set = write_group(dir, "memory.memsw.limit_in_bytes", std::to_string(*bytes + *swap));
        !set)
      return set;
  if (confinement_.swappiness)
    return write_group(dir, "memory.swappiness", std::to_string(*confinement_.swappiness));
  return {};
}

// A new cpuset is empty, so each group on the way down gets the CPUs of its parent; the step's
// group gets its own CPUs.
Result<void> CgroupV1::limit_cpus() {
  std::string dir = mount("cpuset");
  std::string cpus = read_group(dir, "cpuset.cpus");
  const std::string mems = read_group(dir, "cpuset.mems");
  for (std::string_view part : split(confinement_.step_path.view(), '/')) {
    dir += fmt::format("/{}", part);
    const bool is_step = dir.size() == step_dir("cpuset").size();
    if (is_step) cpus = confinement_.cpus.text();
    if (!is_step && !read_group(dir, "cpuset.cpus").empty()) continue;
    if (auto set = write_group(dir, "cpuset.mems", mems); !set) return set;
    if (auto set = write_group(dir, "cpuset.cpus", cpus); !set) return set;
  }
  return {};
}

Result<void> CgroupV1::limit_devices() {
  auto write_rules = [&](std::string_view file, const std::vector<Text>& devices) -> Result<void> {
    for (const Text& device : devices) {
      struct stat info{};
      if (stat(device.str().c_str(), &info) != 0) continue;  // no such device: nothing to forbid
      const char type = S_ISBLK(info.st_mode) ? 'b' : 'c';
      const std::string rule =
          fmt::format("{} {}:{} rwm", type, major(info.st_rdev), minor(info.st_rdev));
      if (auto set = write_group(step_dir("devices"), file, rule); !set) return set;
    }
    return {};
  };
  if (auto set = write_rules("devices.allow", confinement_.allowed_devices); !set) return set;
  return write_rules("devices.deny", confinement_.denied_devices);
}

Result<void> CgroupV1::enter() const {
  for (std::string_view controller : kControllers)
    if (uses(controller))
      if (auto moved = write_group(step_dir(controller), "cgroup.procs", "0"); !moved) return moved;
  return {};
}

std::vector<pid_t> CgroupV1::processes() const { return group_processes(step_dir(kTracking)); }

void CgroupV1::kill() {
  // Frozen processes cannot fork. They die when they are thawed.
  (void)freeze(true);
  for (pid_t pid : processes()) ::kill(pid, SIGKILL);
  (void)freeze(false);
}

Result<void> CgroupV1::freeze(bool frozen) {
  return write_group(step_dir(kTracking), "freezer.state", frozen ? "FROZEN" : "THAWED");
}

std::uint64_t CgroupV1::oom_kills() const {
  if (!uses("memory")) return 0;
  return group_value(step_dir("memory"), "memory.oom_control", "oom_kill").value_or(0);
}

std::uint64_t CgroupV1::memory_peak_kib() const {
  if (!uses("memory")) return 0;
  const std::string text = read_group(step_dir("memory"), "memory.max_usage_in_bytes");
  return parse_number<std::uint64_t>(text).value_or(0) >> 10;
}

void CgroupV1::remove() {
  // Tries all controllers, because an earlier start may have used others. Missing groups are fine.
  for (std::string_view controller : kControllers)
    remove_group(mount(controller), confinement_.step_path.str());
}

}  // namespace muster::io
