// A slurmstepd that is started before there is a step for it, because starting it takes longer than
// anything else of a launch. It gets its step in one packet: the title that ps is to show, and the
// descriptors that it would otherwise have been started with.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "base/result.h"

namespace muster::io {

inline constexpr const char* kSpareStep = "spare";  // its first argument

using StepDescriptors = std::array<int, 3>;  // setup, socket to slurmd, lock

struct GivenStep {
  std::string title;
  StepDescriptors descriptors;  // now the receiver's
};

// The descriptors stay the caller's.
Result<void> give_step(int socket, const std::string& title, const StepDescriptors& descriptors);

// Waits for a step; nothing = slurmd has gone, or sent something else.
std::optional<GivenStep> await_step(int socket);

}  // namespace muster::io
