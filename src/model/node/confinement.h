// Confinement: what a step may use on its node, in the kernel's terms. slurmd computes it, and
// slurmstepd enforces it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/containers/text.h"
#include "base/text/idset.h"

namespace muster {

struct Confinement {
  enum class Groups : std::uint8_t { none, v1, v2 };
  Groups groups = Groups::none;  // the version of cgroups that tracks the step's processes
  Text mountpoint;               // of the hierarchies (v1) or of the one hierarchy (v2)
  Text job_path, step_path;      // below it: "slurm_n1/uid_0/job_12", ".../step_batch"

  std::optional<std::uint64_t> job_memory_bytes, step_memory_bytes;
  std::optional<std::uint64_t> job_swap_bytes, step_swap_bytes;  // beyond the memory
  std::optional<std::uint32_t> swappiness;
  IdSet cpus;                         // the machine's own numbers; empty = all
  std::vector<Text> allowed_devices;  // files of the node's gres that it may use
  std::vector<Text> denied_devices;   // files of all other gres

  std::uint64_t kill_over_kib = 0;  // found by sampling (OverMemoryKill); 0 = never
  bool operator==(const Confinement&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, groups);
    v(2, mountpoint);
    v(3, job_path);
    v(4, step_path);
    v(5, job_memory_bytes);
    v(6, step_memory_bytes);
    v(7, job_swap_bytes);
    v(8, step_swap_bytes);
    v(9, swappiness);
    v(10, cpus);
    v(11, allowed_devices);
    v(12, denied_devices);
    v(13, kill_over_kib);
  }
};

}  // namespace muster
