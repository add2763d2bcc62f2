// The keys of `scontrol update` and `scontrol create`: one row for each. The command reads words
// with them and refuses a slip before anything has changed; the controller applies them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "wire/requests.h"

namespace muster::wire {

// What a value has to be.
enum class UpdateValue : std::uint8_t {
  text,
  count,
  count_or_unset,     // -1 = as if nobody had said it
  count_or_infinite,  // UNLIMITED
  node_count,         // "2" or "2-4"
  memory,
  yes_no,  // or a number
  flag,    // YES or NO, in full
  time_limit,
  time_limit_change,  // "+10" as well
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
  bool pending_only = false;     // of a job that waits
  bool operators_only = false;   // beyond what owning the job allows
  std::string_view called = {};  // in a refusal, where that is another name
};

std::span<const UpdateKey> update_keys(UpdateRequest::Kind kind);
// By its name in full, in any case.
const UpdateKey* find_update_key(UpdateRequest::Kind kind, std::string_view name);
// Or, of so many letters at least, by its beginning.
const UpdateKey* find_abbreviated_key(UpdateRequest::Kind kind, std::string_view word);
bool abbreviates(std::string_view word, std::string_view name, std::size_t shortest);

}  // namespace muster::wire
