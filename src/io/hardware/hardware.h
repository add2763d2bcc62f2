// hardware: what this machine has, and how busy it is. Only slurmd links this, because of hwloc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace muster::io {

struct Hardware {
  std::string host_name;  // short
  std::uint32_t cpus = 1, boards = 1, sockets = 1, cores_per_socket = 1, threads_per_core = 1;
  std::vector<std::uint32_t> cpu_numbers;  // the kernel's number of each CPU, core by core
  std::uint64_t memory_mib = 1;
  std::string arch, os, boot_id;
  Time boot_time;
  Seconds uptime{0};
};
Result<Hardware> detect_hardware();

std::uint64_t disk_mib(const std::string& path);

struct Load {
  double cpu_load = 0;  // the one-minute average
  std::uint64_t free_memory_mib = 0;
};
Load read_load();

}  // namespace muster::io
