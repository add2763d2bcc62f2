// Chooses the NUMA nodes of a task's memory, and prints the lines of --mem-bind=verbose.
#include "step/tasks/memory_policy.h"

#include <fmt/format.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "model/binding/cpu_bind.h"
#include "step/tasks/affinity.h"

namespace muster::step {
namespace {

constexpr std::size_t kMostNodes = 1024;
constexpr std::size_t kWordBits = sizeof(unsigned long) * 8;

// The NUMA nodes of the CPUs that this process may use.
IdSet local_nodes(const CpuLayout& layout) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  sched_getaffinity(0, sizeof mask, &mask);
  IdSet nodes;
  for (const auto& [cpu, place] : layout)
    if (cpu < CPU_SETSIZE && CPU_ISSET(cpu, &mask)) nodes.insert(place.ldom);
  return nodes;
}

bool set_policy(int mode, const IdSet& nodes) {
  std::array<unsigned long, kMostNodes / kWordBits> mask{};
  for (std::uint32_t node : nodes.ids())
    if (node < kMostNodes) mask[node / kWordBits] |= 1ul << (node % kWordBits);
  return syscall(SYS_set_mempolicy, mode, mask.data(), kMostNodes) == 0;
}

std::string_view label(const MemBind& bind) {
  switch (bind.kind) {
    case MemBind::Kind::unset:
      return "NULL";
    case MemBind::Kind::none:
      return "NONE";
    case MemBind::Kind::rank:
      return "RANK";
    case MemBind::Kind::local:
      return "LOC";
    case MemBind::Kind::map:
      return "MAP";
    case MemBind::Kind::mask:
      return "MASK";
  }
  return "";
}

void report(const MemBind& bind, const StepSetup& setup, std::uint32_t local_id, const IdSet& nodes,
            std::string_view outcome) {
  const std::string line =
      fmt::format("mem-bind{}{} - {}, task {:2} {:2} [{}]: mask {}{}\n",
                  bind.prefer ? " PREFER " : "=", label(bind), setup.host_name.view(),
                  setup.launch.ranks[local_id], local_id, getpid(), mask_text(nodes), outcome);
  dprintf(STDERR_FILENO, "%s", line.c_str());
}

void complain(const StepSetup& setup, std::string_view text) {
  dprintf(STDERR_FILENO, "%s", fmt::format("{}: error: {}\n", setup.program.view(), text).c_str());
}

}  // namespace

MemBind add_memory_variables(const StepSetup& setup, Environment& environment) {
  auto parsed = parse_mem_bind(setup.launch.task.mem_bind);
  if (!parsed) return {};  // srun has refused it already
  const MemBind& bind = *parsed;
  const bool says_nothing = bind.kind == MemBind::Kind::unset && !bind.verbose && !bind.prefer;
  if (says_nothing) return bind;
  environment.set("SLURM_MEM_BIND", mem_bind_text(bind));
  environment.set("SLURM_MEM_BIND_VERBOSE", bind.verbose ? "verbose" : "quiet");
  environment.set("SLURM_MEM_BIND_TYPE", mem_bind_type(bind.kind));
  environment.set("SLURM_MEM_BIND_LIST", bind.list_text);
  if (bind.prefer) environment.set("SLURM_MEM_BIND_PREFER", "prefer");
  if (bind.sort) environment.set("SLURM_MEM_BIND_SORT", "sort");
  return bind;
}

bool apply_memory_policy(const MemBind& bind, const StepSetup& setup, std::uint32_t local_id) {
  if (!setup.binds_tasks || setup.launch.task.mem_bind.empty()) return true;
  const CpuLayout layout = read_cpu_layout();
  IdSet all;
  for (const auto& [cpu, place] : layout) all.insert(place.ldom);
  const std::optional<IdSet> nodes = memory_of_task(bind, local_id, local_nodes(layout));
  if (!nodes) {
    if (bind.verbose) report(bind, setup, local_id, all, "");
    return true;
  }
  for (std::uint32_t node : nodes->ids()) {
    if (all.contains(node)) continue;
    std::string_view type = mem_bind_type(bind.kind);
    if (type.ends_with(':')) type.remove_suffix(1);
    complain(setup, fmt::format("NUMA node {} does not exist; cannot bind local task {} to it "
                                "(--mem-bind={})",
                                node, local_id, type));
    return false;
  }
  const bool set = set_policy(bind.prefer ? MPOL_PREFERRED : MPOL_BIND, *nodes);
  if (!set)
    complain(setup, fmt::format("the memory of task {} cannot be bound: {}",
                                setup.launch.ranks[local_id], std::strerror(errno)));
  if (bind.verbose) report(bind, setup, local_id, *nodes, set ? " set" : " FAILED");
  return true;
}

}  // namespace muster::step
