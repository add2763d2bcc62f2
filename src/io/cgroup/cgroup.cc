// Chooses between versions 1 and 2, and reads the kernel's log for killed processes.
#include "io/cgroup/cgroup.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/text/strings.h"
#include "io/cgroup/files.h"
#include "io/cgroup/v1.h"
#include "io/cgroup/v2.h"

namespace muster::io {
namespace {

template <class Kind>
Result<std::unique_ptr<Cgroup>> make(const Confinement& confinement) {
  auto group = std::make_unique<Kind>(confinement);
  if (auto made = group->make(); !made) {
    group->remove();
    return std::unexpected(made.error());
  }
  return group;
}

// Where the hierarchy of version 2 is: at the mount point, or next to those of version 1. Empty if
// there is none.
std::string unified_below(const std::string& mountpoint) {
  for (const std::string& dir : {mountpoint, mountpoint + "/unified"})
    if (has_group_file(dir, "cgroup.controllers")) return dir;
  return {};
}

Result<void> check_v1(const std::string& mountpoint, const config::CgroupConf& conf) {
  const std::pair<bool, std::string_view> needs[] = {
      {conf.constrain_cores, "cpuset"},
      {conf.constrain_ram || conf.constrain_swap, "memory"},
      {conf.constrain_devices, "devices"}};
  for (const auto& [needed, controller] : needs)
    if (needed && !has_group_file(fmt::format("{}/{}", mountpoint, controller), "cgroup.procs"))
      return fail(fmt::format("cgroup.conf asks for the controller {}, which is not mounted at {}",
                              controller, mountpoint));
  return {};
}

Result<void> check_v2(const std::string& mountpoint, const config::CgroupConf& conf) {
  const std::string controllers = read_group(mountpoint, "cgroup.controllers");
  const std::vector<std::string_view> has = split_words(controllers);
  const std::pair<bool, std::string_view> needs[] = {
      {conf.constrain_cores, "cpuset"}, {conf.constrain_ram || conf.constrain_swap, "memory"}};
  for (const auto& [needed, controller] : needs)
    if (needed && std::ranges::find(has, controller) == has.end())
      return fail(fmt::format("cgroup.conf asks for the controller {}, which {} does not have",
                              controller, mountpoint));
  return {};
}

}  // namespace

Result<std::unique_ptr<Cgroup>> make_cgroup(const Confinement& confinement) {
  return confinement.groups == Confinement::Groups::v1 ? make<CgroupV1>(confinement)
                                                       : make<CgroupV2>(confinement);
}

std::unique_ptr<Cgroup> find_cgroup(const Confinement& confinement) {
  if (confinement.groups == Confinement::Groups::v1) return std::make_unique<CgroupV1>(confinement);
  return std::make_unique<CgroupV2>(confinement);
}

Result<CgroupSystem> detect_cgroups(const config::CgroupConf& conf, bool constrain) {
  if (conf.plugin == "disabled") return CgroupSystem{};
  const std::string unified = unified_below(conf.mountpoint);
  const bool has_v1 = has_group_file(conf.mountpoint + "/freezer", "cgroup.procs");
  const bool wants_v1 = conf.plugin == "cgroup/v1";
  const bool wants_v2 = conf.plugin == "cgroup/v2";
  // If both are mounted, version 1 has the controllers.
  if (has_v1 && !wants_v2) {
    if (constrain)
      if (auto ok = check_v1(conf.mountpoint, conf); !ok) return std::unexpected(ok.error());
    return CgroupSystem{Confinement::Groups::v1, conf.mountpoint};
  }
  if (!unified.empty() && !wants_v1) {
    if (constrain)
      if (auto ok = check_v2(unified, conf); !ok) return std::unexpected(ok.error());
    return CgroupSystem{Confinement::Groups::v2, unified};
  }
  return fail(fmt::format("there are no control groups{} at {}",
                          wants_v1   ? " of version 1"
                          : wants_v2 ? " of version 2"
                                     : "",
                          conf.mountpoint));
}

std::string last_oom_victim(const std::string& memory_path) {
  int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return {};
  const std::string mark = fmt::format("task_memcg={},", memory_path);
  std::string victim;
  char record[8192];
  while (true) {
    ssize_t size = read(fd, record, sizeof record);
    if (size < 0 && errno == EPIPE) continue;  // overwritten meanwhile: read the next record
    if (size <= 0) break;
    const std::string_view line(record, static_cast<std::size_t>(size));
    if (line.find(mark) == std::string_view::npos) continue;
    std::string_view name, pid;
    for (std::string_view part : split(line.substr(0, line.find('\n')), ',')) {
      if (part.starts_with("task=")) name = part.substr(5);
      if (part.starts_with("pid=")) pid = part.substr(4);
    }
    victim = fmt::format("{} ({})", pid, name);
  }
  close(fd);
  return victim;
}

}  // namespace muster::io
