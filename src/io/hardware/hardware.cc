// Reads processors with hwloc, the rest from the kernel.
#include "io/hardware/hardware.h"

#include <hwloc.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>

#include "base/text/strings.h"

namespace muster::io {
namespace {

struct DestroyTopology {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};

Result<void> detect_processors(Hardware& found) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return fail("hwloc cannot be initialised");
  std::unique_ptr<hwloc_topology, DestroyTopology> topology(raw);
  if (hwloc_topology_load(raw) != 0) return fail("hwloc cannot read this machine's topology");

  auto count = [&](hwloc_obj_type_t type) {
    return static_cast<std::uint32_t>(std::max(1, hwloc_get_nbobjs_by_type(raw, type)));
  };
  found.cpus = count(HWLOC_OBJ_PU);
  for (std::uint32_t i = 0; i < found.cpus; ++i)
    if (hwloc_obj_t cpu = hwloc_get_obj_by_type(raw, HWLOC_OBJ_PU, i))
      found.cpu_numbers.push_back(cpu->os_index);
  found.sockets = count(HWLOC_OBJ_PACKAGE);
  const std::uint32_t cores = std::max(count(HWLOC_OBJ_CORE), found.sockets);
  found.cores_per_socket = std::max(1u, cores / found.sockets);
  found.threads_per_core = std::max(1u, found.cpus / cores);
  return {};
}

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace

Result<Hardware> detect_hardware() {
  Hardware found;
  if (Result<void> read = detect_processors(found); !read) return std::unexpected(read.error());

  utsname system{};
  if (uname(&system) == 0) {
    std::string_view name = system.nodename;
    found.host_name = name.substr(0, name.find('.'));
    found.arch = system.machine;
    found.os = std::string(system.sysname) + " " + system.release + " " + system.version;
  }
  struct sysinfo info{};
  if (sysinfo(&info) == 0) {
    found.memory_mib = info.totalram * info.mem_unit >> 20;
    found.uptime = Seconds{info.uptime};
    auto now = std::chrono::floor<Seconds>(std::chrono::system_clock::now());
    found.boot_time = now - found.uptime;
  }
  found.boot_id = first_line("/proc/sys/kernel/random/boot_id");
  return found;
}

std::uint64_t disk_mib(const std::string& path) {
  struct statvfs disk{};
  if (statvfs(path.c_str(), &disk) != 0) return 0;
  return disk.f_blocks * disk.f_frsize >> 20;
}

Load read_load() {
  Load load;
  double average = 0;
  if (getloadavg(&average, 1) == 1) load.cpu_load = average;
  // Slurm reports "MemFree:", which does not include caches.
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    auto words = split_words(line);
    if (words.size() < 2 || words[0] != "MemFree:") continue;
    load.free_memory_mib = parse_number<std::uint64_t>(words[1]).value_or(0) >> 10;
    break;
  }
  return load;
}

}  // namespace muster::io
