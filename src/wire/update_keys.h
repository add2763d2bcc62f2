// The keys of `scontrol update` and `scontrol create`, one row each. The command checks its
// arguments with them and refuses a mistake before anything has changed; the controller applies
// them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "wire/requests.h"

namespace muster::wire {

// The kind of value that a key takes.
enum class UpdateValue : std::uint8_t {
  text,
  count,
  count_or_unset,     // -1 = unset
  count_or_infinite,  // UNLIMITED
  node_count,         // "2" or "2-4"
  memory,
  yes_no,  // or a number
  flag,    // YES or NO, in full
  time_limit,
  time_limit_change,  // also "+10"
  duration,
  date,
  priority,
  site_factor,
  mail_types,
  weight,
  node_state,
  partition_state,
  sharing,
  preempt_mode,
};

struct UpdateKey {
  std::string_view name;
  std::size_t shortest = 0;  // letters that an abbreviation needs
  UpdateValue value = UpdateValue::text;
  bool pending_only = false;     // only for pending jobs
  bool operators_only = false;   // owning the job is not enough
  std::string_view called = {};  // its name in error messages, if that differs
};

std::span<const UpdateKey> update_keys(UpdateRequest::Kind kind);
// By its full name, in any case.
const UpdateKey* find_update_key(UpdateRequest::Kind kind, std::string_view name);
// By its full name, or by an abbreviation of at least `shortest` letters.
const UpdateKey* find_abbreviated_key(UpdateRequest::Kind kind, std::string_view word);
bool abbreviates(std::string_view word, std::string_view name, std::size_t shortest);

// YES, NO, their abbreviations, or a number.
std::optional<bool> parse_yes_no(std::string_view text);

}  // namespace muster::wire
