// cgroup.conf: to which resources slurmd confines jobs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "config/keys/source.h"

namespace muster::config {

struct CgroupConf {
  std::string plugin;  // "cgroup/v1", "cgroup/v2", "autodetect"; empty if not given
  std::string mountpoint = "/sys/fs/cgroup";
  bool automount = false;
  bool constrain_cores = false, constrain_devices = false, constrain_ram = false,
       constrain_swap = false, constrain_kmem = false;
  double allowed_ram_percent = 100, allowed_swap_percent = 0;  // of what the job asked for
  double max_ram_percent = 100, max_swap_percent = 100, max_kmem_percent = 100;  // of the node's
  std::optional<std::uint64_t> allowed_kmem_bytes;
  std::uint64_t min_ram_mib = 30, min_kmem_mib = 30;
  std::optional<std::uint32_t> memory_swappiness;
  bool ignore_systemd = false, ignore_systemd_on_failure = false;
  std::vector<std::string> ignored_keys;

  // The "Cgroup Support Configuration" of `scontrol show config`, in its order.
  std::vector<std::pair<std::string, std::string>> show_settings() const;
};

Result<CgroupConf> load_cgroup_conf(const FileReader& read, const std::string& path);

}  // namespace muster::config
