// Changes user, groups, limits and working directory.
#include "step/tasks/setup.h"

#include <fmt/format.h>
#include <grp.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "base/text/strings.h"
#include "io/process/processes.h"

namespace muster::step {
namespace {

static_assert(sizeof(Gid) == sizeof(gid_t), "groups are handed to the kernel as they are");
const gid_t* raw_groups(const StepSetup& setup) {
  return reinterpret_cast<const gid_t*>(setup.groups.data());
}

// The kernel keeps these ids per thread. The C library would change those of all threads, even if
// one acts as the user while another acts as root.
bool set_groups(std::size_t count, const gid_t* groups) {
  return syscall(SYS_setgroups, count, groups) == 0;
}
bool set_effective_group(gid_t gid) { return syscall(SYS_setresgid, -1, gid, -1) == 0; }
bool set_effective_user(uid_t uid) { return syscall(SYS_setresuid, -1, uid, -1) == 0; }

struct LimitName {
  const char* name;
  int resource;
};
constexpr LimitName kLimitNames[] = {
    {"SLURM_RLIMIT_CPU", RLIMIT_CPU},         {"SLURM_RLIMIT_FSIZE", RLIMIT_FSIZE},
    {"SLURM_RLIMIT_DATA", RLIMIT_DATA},       {"SLURM_RLIMIT_STACK", RLIMIT_STACK},
    {"SLURM_RLIMIT_CORE", RLIMIT_CORE},       {"SLURM_RLIMIT_RSS", RLIMIT_RSS},
    {"SLURM_RLIMIT_NPROC", RLIMIT_NPROC},     {"SLURM_RLIMIT_NOFILE", RLIMIT_NOFILE},
    {"SLURM_RLIMIT_MEMLOCK", RLIMIT_MEMLOCK}, {"SLURM_RLIMIT_AS", RLIMIT_AS},
};

}  // namespace

bool act_as_user(const StepSetup& setup) {
  if (!setup.change_user) return true;
  return set_groups(setup.groups.size(), raw_groups(setup)) &&
         set_effective_group(setup.launch.gid.value) && set_effective_user(setup.launch.uid.value);
}

AsUser::AsUser(const StepSetup& setup) : changed_(setup.change_user), ok_(act_as_user(setup)) {}

AsUser::~AsUser() {
  if (!changed_) return;
  // A supervisor that cannot become root again could neither signal nor report, so it must not go
  // on.
  if (!set_effective_user(0) || !set_effective_group(0) || !set_groups(0, nullptr)) _exit(1);
}

bool become_user(const StepSetup& setup) {
  if (!setup.change_user) return true;
  io::be_like_others_for_oom();
  return setgroups(setup.groups.size(), raw_groups(setup)) == 0 &&
         setresgid(setup.launch.gid.value, setup.launch.gid.value, setup.launch.gid.value) == 0 &&
         setresuid(setup.launch.uid.value, setup.launch.uid.value, setup.launch.uid.value) == 0;
}

WorkDir enter_work_dir(const StepSetup& setup) {
  WorkDir result;
  const std::string dir = setup.launch.task.work_dir.str();
  AsUser user(setup);
  if (user.ok() && chdir(dir.c_str()) == 0) return result;
  result.exists = false;
  result.warning =
      fmt::format("couldn't chdir to `{}': {}: going to /tmp instead", dir, std::strerror(errno));
  if (chdir("/tmp") != 0 && chdir("/") != 0) result.warning += " (which failed, too)";
  return result;
}

std::vector<ResourceLimit> take_limits(Environment& environment) {
  std::vector<ResourceLimit> limits;
  for (const auto& [name, resource] : kLimitNames) {
    const std::string* entry = environment.find(name);
    if (!entry) continue;
    std::string_view value = std::string_view(*entry).substr(std::strlen(name) + 1);
    // Slurm writes "no limit" as the largest number.
    if (auto soft = parse_number<unsigned long>(value)) limits.push_back({resource, *soft});
    environment.erase(name);
  }
  return limits;
}

void apply_limits(const std::vector<ResourceLimit>& limits) {
  for (const auto& [resource, soft] : limits) {
    rlimit current{};
    const auto which = static_cast<__rlimit_resource>(resource);
    if (getrlimit(which, &current) != 0) continue;
    current.rlim_cur = std::min<rlim_t>(soft, current.rlim_max);
    setrlimit(which, &current);
  }
}

}  // namespace muster::step
