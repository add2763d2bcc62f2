// Strong ids: a job id cannot be passed where a node id is meant.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace muster {

template <class Tag, class Rep = std::uint32_t>
struct Id {
  using rep = Rep;
  Rep value = 0;

  constexpr Id() = default;
  constexpr explicit Id(Rep v) : value(v) {}
  constexpr auto operator<=>(const Id&) const = default;
  constexpr explicit operator bool() const { return value != 0; }
};

using JobId = Id<struct JobIdTag>;    // 0 = none
using NodeId = Id<struct NodeIdTag>;  // index into Cluster::nodes; stable across reconfigurations
using Uid = Id<struct UidTag>;
using Gid = Id<struct GidTag>;
using Attempt = Id<struct AttemptTag>;             // 1 for the first run of a job
using Epoch = Id<struct EpochTag, std::uint64_t>;  // one per start of a controller

using TaskId = Id<struct TaskIdTag>;  // index of a task in its job array

// A step of a job: numbered from 0, or one of the special ones below.
using StepId = Id<struct StepIdTag>;
inline constexpr StepId kInteractiveStep{0xfffffffau};  // salloc's shell on the first node
inline constexpr StepId kBatchStep{0xfffffffbu};
inline constexpr StepId kExternStep{0xfffffffcu};
constexpr bool is_numbered(StepId id) { return id < kInteractiveStep; }

// srun --no-allocate: a step without a job uses an id that no job ever gets.
inline constexpr JobId kFirstUnallocated{0xffff0000u};
constexpr bool is_unallocated(JobId id) { return id >= kFirstUnallocated; }

inline constexpr std::uint32_t kNoTask = 0xfffffffeu;  // %a of a job that is not an array task

}  // namespace muster

template <class Tag, class Rep>
struct std::hash<muster::Id<Tag, Rep>> {
  std::size_t operator()(muster::Id<Tag, Rep> id) const { return std::hash<Rep>{}(id.value); }
};
