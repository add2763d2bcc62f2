// Computes the limits of a step's control group from its share of the node.
#include "node/confinement.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster {
namespace {

std::uint64_t percent_of(std::uint64_t mib, double percent) {
  return static_cast<std::uint64_t>(static_cast<double>(mib << 20) * percent / 100);
}

// AllowedRAMSpace of the request; at least MinRAMSpace, at most MaxRAMPercent of the node.
std::uint64_t memory_limit(const NodeConfinement& node, std::uint64_t asked_mib) {
  const config::CgroupConf& conf = node.conf;
  const std::uint64_t allowed = percent_of(asked_mib, conf.allowed_ram_percent);
  const std::uint64_t most = percent_of(node.memory_mib, conf.max_ram_percent);
  return std::max(std::min(allowed, most), conf.min_ram_mib << 20);
}

std::uint64_t swap_limit(const NodeConfinement& node, std::uint64_t asked_mib) {
  return std::min(percent_of(asked_mib, node.conf.allowed_swap_percent),
                  percent_of(node.memory_mib, node.conf.max_swap_percent));
}

// `own`: the step's part of the job's memory; 0 = all of it.
void set_memory(const NodeConfinement& node, std::uint64_t job_mib, std::uint64_t own,
                Confinement& out) {
  if (job_mib == 0) return;
  const std::uint64_t step_mib = own == 0 ? job_mib : std::min(own, job_mib);
  if (node.conf.constrain_ram || node.conf.constrain_swap) {
    out.job_memory_bytes = memory_limit(node, job_mib);
    out.step_memory_bytes = memory_limit(node, step_mib);
  }
  if (node.conf.constrain_swap) {
    out.job_swap_bytes = swap_limit(node, job_mib);
    out.step_swap_bytes = swap_limit(node, step_mib);
    out.swappiness = node.conf.memory_swappiness;
  }
}

void set_devices(const NodeConfinement& node, const wire::StepLaunch& launch, Confinement& out) {
  for (const Text& file : node.devices) {
    const bool allowed = std::ranges::find(launch.device_files, file) != launch.device_files.end();
    (allowed ? out.allowed_devices : out.denied_devices).push_back(file);
  }
}

}  // namespace

Confinement groups_of(const NodeConfinement& node, const wire::StepRef& step, Uid uid) {
  Confinement out;
  out.groups = node.groups;
  if (out.groups == Confinement::Groups::none) return out;
  out.mountpoint = node.mountpoint;
  out.job_path = fmt::format("{}/uid_{}/job_{}", node.base.view(), uid.value, step.job.value);
  out.step_path = fmt::format("{}/step_{}", out.job_path.view(), step_name(step.step));
  return out;
}

Confinement confine_receiver(const NodeConfinement& node, const wire::FileGrant& grant) {
  Confinement out = groups_of(node, {.job = grant.job, .step = kExternStep}, grant.owner);
  if (out.groups == Confinement::Groups::none) return out;
  out.step_path = fmt::format("{}/files", out.job_path.view());
  if (node.constrain) set_memory(node, grant.memory_mib, 0, out);
  return out;
}

Confinement confine(const NodeConfinement& node, const wire::StepLaunch& launch) {
  Confinement out = groups_of(node, launch.ref, launch.uid);
  if (node.kill_over_memory) out.kill_over_kib = launch.memory_limit_mib << 10;
  if (out.groups == Confinement::Groups::none || !node.constrain) return out;
  set_memory(node, launch.memory_limit_mib, launch.share.memory_mib, out);
  if (node.conf.constrain_devices) set_devices(node, launch, out);
  if (node.conf.constrain_cores)
    for (std::uint32_t cpu : launch.share.cpus.ids())
      if (cpu < node.cpus.size()) out.cpus.insert(node.cpus[cpu]);
  return out;
}

}  // namespace muster
