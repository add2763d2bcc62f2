#include "step/affinity.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "base/strings.h"

namespace muster::step {
namespace {

std::optional<std::string> read_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

}  // namespace

CpuLayout read_cpu_layout() {
  const std::string root = "/sys/devices/system/";
  CpuLayout layout;
  auto online = IdSet::parse(read_line(root + "cpu/online").value_or(""));
  if (!online) return layout;
  for (std::uint32_t cpu : online->ids()) {
    const std::string topology = fmt::format("{}cpu/cpu{}/topology/", root, cpu);
    auto number = [&](const char* name) {
      return parse_number<std::uint32_t>(read_line(topology + name).value_or("0")).value_or(0);
    };
    constexpr std::uint32_t kCoresPerSocket = 1u << 16;  // core ids begin anew on each socket
    const std::uint32_t socket = number("physical_package_id");
    layout[cpu] = {.core = socket * kCoresPerSocket + number("core_id"), .socket = socket};
  }
  auto domains = IdSet::parse(read_line(root + "node/online").value_or(""));
  if (!domains) return layout;
  for (std::uint32_t domain : domains->ids()) {
    auto cpus =
        IdSet::parse(read_line(fmt::format("{}node/node{}/cpulist", root, domain)).value_or(""));
    if (!cpus) continue;
    for (auto& [cpu, place] : layout)
      if (cpus->contains(cpu)) place.ldom = domain;
  }
  return layout;
}

TaskBinding bind_task(const StepSetup& setup, std::uint32_t local_id, Environment& environment) {
  const wire::StepLaunch& launch = setup.launch;
  if (launch.ref.step >= kBatchStep) return {};
  auto bind = parse_cpu_bind(launch.cpu_bind);
  if (!bind) return {};  // srun has refused it
  if (bind->kind == CpuBind::Kind::none ||
      (bind->kind == CpuBind::Kind::unset && !setup.binds_tasks))
    return {};
  const auto tasks = static_cast<std::uint32_t>(launch.ranks.size());
  const CpuLayout layout = read_cpu_layout();
  std::string list;
  TaskBinding binding{.cpus = std::nullopt, .verbose = bind->verbose};
  for (std::uint32_t task = 0; task < tasks; ++task) {
    auto cpus = cpus_of_task(*bind, layout, launch.share.cpus, {task, tasks, launch.cpus_per_task},
                             setup.binds_tasks);
    if (!cpus) return binding;
    if (task > 0) list += ',';
    list += mask_text(*cpus);
    if (task == local_id) binding.cpus = std::move(cpus);
  }
  const std::string_view loudness = bind->verbose ? "verbose" : "quiet";
  environment.set("SLURM_CPU_BIND", fmt::format("{},mask_cpu:{}", loudness, list));
  environment.set("SLURM_CPU_BIND_VERBOSE", loudness);
  environment.set("SLURM_CPU_BIND_TYPE", "mask_cpu:");
  environment.set("SLURM_CPU_BIND_LIST", list);
  return binding;
}

void apply_binding(const TaskBinding& binding, const StepSetup& setup, std::uint32_t local_id) {
  if (!binding.cpus) {
    if (binding.verbose)
      dprintf(2, "cpu-bind=NULL - %s, task %2u %2u [%d]: mask not set\n",
              setup.host_name.str().c_str(), setup.launch.ranks[local_id], local_id, getpid());
    return;
  }
  cpu_set_t mask;
  CPU_ZERO(&mask);
  for (std::uint32_t cpu : binding.cpus->ids())
    if (cpu < CPU_SETSIZE) CPU_SET(cpu, &mask);
  const bool set = sched_setaffinity(0, sizeof mask, &mask) == 0;
  if (!set)
    dprintf(2, "%s: error: task %u cannot be bound to CPUs %s: %s\n", setup.program.str().c_str(),
            setup.launch.ranks[local_id], binding.cpus->text().c_str(), std::strerror(errno));
  if (binding.verbose)
    dprintf(2, "cpu-bind=MASK - %s, task %2u %2u [%d]: mask %s %s\n", setup.host_name.str().c_str(),
            setup.launch.ranks[local_id], local_id, getpid(), mask_text(*binding.cpus).c_str(),
            set ? "set" : "FAILED");
}

}  // namespace muster::step
