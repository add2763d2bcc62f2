// Lines that leave while a script runs: for the user, and for slurmctld's log.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "wire/hook_messages.h"

namespace muster::hooks {

inline constexpr int kSocket = 3;  // the connection to slurmctld

// What follows is about this component of a heterogeneous job: lines for the user begin with its
// number. Unset: about the whole job.
void speak_of(std::optional<std::size_t> component);
void say(wire::HookLevel level, std::string_view text);

}  // namespace muster::hooks
