// --cpu-bind: which CPUs of a step each of its tasks on a node may use.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text/idset.h"

namespace muster {

struct CpuBind {
  enum class Kind : std::uint8_t {
    unset,
    none,
    rank,       // one CPU, by the task's local id
    threads,    // the task's own CPUs
    cores,      // ... and all other CPUs on their cores
    sockets,    // ... or on their sockets
    ldoms,      // ... or in their NUMA domains
    list,       // as written, one entry per task, repeated
    rank_ldom,  // one NUMA domain, by the task's local id
    ldom_list,
  };
  Kind kind = Kind::unset;
  std::vector<IdSet> list;
  bool verbose = false;
  bool one_thread = false;  // of each core
};

// "cores", "one_thread,cores", "verbose,map_cpu:0,2", "mask_cpu:0x3,0xc", "rank", "quiet", "none",
// ...
Result<CpuBind> parse_cpu_bind(std::string_view text);

// CpuBind= of a node or a partition: "cores" for "core", empty for "off".
Result<std::string> parse_default_cpu_bind(std::string_view text);

// Where each CPU of a machine is.
struct CpuPlace {
  std::uint32_t core = 0, socket = 0, ldom = 0;  // cores are numbered over all sockets
};
using CpuLayout = std::map<std::uint32_t, CpuPlace>;

struct BoundTask {
  std::uint32_t local_id = 0, tasks = 1, cpus_per_task = 1;
};
// Unset if the task may use all CPUs. `automatic`: bind tasks even if no option asks for it.
std::optional<IdSet> cpus_of_task(const CpuBind& bind, const CpuLayout& layout, const IdSet& cpus,
                                  BoundTask task, bool automatic);

// The set as a hexadecimal mask: "0x3".
std::string mask_text(const IdSet& bits);

}  // namespace muster
