// The fields of jobs that submit scripts see, by Slurm's names: slurmctld fills them in and takes
// back what scripts set (controller/hooks), slurmctld-hooks shows them to the scripts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "wire/hook_messages.h"

namespace muster::wire {

// Slurm's numbers for "not given" and "no limit".
inline constexpr std::uint64_t kNoVal = 0xfffffffe, kNoVal8 = 0xfe, kNoVal16 = 0xfffe,
                               kNoVal64 = 0xfffffffffffffffe, kInfinite = 0xffffffff,
                               kInfinite64 = 0xffffffffffffffff;
inline constexpr std::uint64_t kNiceOffset = 0x80000000;    // nice 0
inline constexpr std::uint64_t kMemoryPerCpu = 1ull << 63;  // in pn_min_memory

struct HookFieldRow {
  std::string_view name;
  bool is_number = false;
  // What a script reads if the field is not given; nil if there is no such number.
  std::optional<std::uint64_t> when_unset = {};
  bool is_settable = true;
  std::optional<std::uint64_t> when_unset_in_update = {};  // where it differs

  std::optional<std::uint64_t> unset(bool in_update) const {
    return in_update && when_unset_in_update ? when_unset_in_update : when_unset;
  }
};

std::span<const HookFieldRow> hook_fields();
const HookFieldRow* find_hook_field(std::string_view name);
// The number of a field that means "not given", also in the form that other fields have.
bool says_unset(const HookField& field);

}  // namespace muster::wire
