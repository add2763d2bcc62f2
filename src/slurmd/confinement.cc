// Sets up control groups and private directories as configured.
#include <fmt/format.h>
#include <unistd.h>

#include "base/text/strings.h"
#include "io/cgroup/cgroup.h"
#include "io/files.h"
#include "io/log.h"
#include "slurmd/host.h"

namespace muster {

namespace {

void remove_in_background(io::Worker& worker, const std::string& path) {
  worker.post([path] {
    if (auto removed = io::remove_tree(path); !removed) io::log_error("{}", removed.error().text());
  });
}

}  // namespace

Result<void> Slurmd::set_up_confinement() {
  const SlurmdConfig& config = start_.config;
  confinement_.conf = config.cgroup;
  confinement_.constrain = config.constrain;
  confinement_.kill_over_memory = config.kill_over_memory;
  confinement_.memory_mib =
      config.config_overrides ? config.node.memory_mib : start_.hardware.memory_mib;
  confinement_.cpus = start_.hardware.cpu_numbers;
  confinement_.devices = config.devices;
  if (confinement_.devices.empty())
    for (const GresPool& pool : gpus_.detected())
      for (const Text& files : pool.files)
        for (std::string_view file : split(files.view(), ','))
          confinement_.devices.emplace_back(file);
  confinement_.base = start_.named ? "slurm_" + config.node_name : "slurm";
  if (!config.track_by_cgroup && !config.constrain) return {};

  const config::CgroupConf& conf = config.cgroup;
  const bool must = config.constrain && (conf.constrain_cores || conf.constrain_devices ||
                                         conf.constrain_ram || conf.constrain_swap);
  Result<io::CgroupSystem> found = io::detect_cgroups(conf, config.constrain);
  if (found && geteuid() != 0 && found->groups != Confinement::Groups::none)
    found = fail("only root may make control groups");
  if (!found && must) return std::unexpected(found.error());
  if (!found) {
    io::log_info("{}: processes are tracked by their parents (proctrack/linuxproc)",
                 found.error().text());
    return {};
  }
  confinement_.groups = found->groups;
  confinement_.mountpoint = found->mountpoint;
  return {};
}

// JobContainerType=job_container/tmpfs
Result<void> Slurmd::set_up_private_directories() {
  const auto& conf = start_.config.private_directories;
  if (!conf) return {};
  if (geteuid() != 0)
    return fail("JobContainerType=job_container/tmpfs needs a slurmd that runs as root");
  namespaces_.emplace(conf->base_path, conf->directories);
  if (auto set_up = namespaces_->set_up(conf->auto_base_path); !set_up) return set_up;
  for (const std::string& path : namespaces_->leftovers()) remove_in_background(cleaner_, path);
  return {};
}

void Slurmd::clean_up(AttemptRef attempt) {
  extern_groups_.erase(attempt);
  job_socket_->forget(attempt);
  if (!namespaces_) return;
  auto left = namespaces_->release(attempt.job);
  if (!left)
    return io::log_error("[job {}] its private directories cannot be removed: {}",
                         attempt.job.value, left.error().text());
  if (!left->empty()) remove_in_background(cleaner_, *left);
}

}  // namespace muster
