// The nursery: a slurmstepd that has no step itself and forks one for each packet that slurmd sends
// it, because starting the program anew takes longer than anything else of a launch. A packet holds
// the title that ps is to show, and the descriptors that the slurmstepd would otherwise have been
// started with.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "base/result.h"

namespace muster::io {

inline constexpr const char* kStepNursery = "nursery";  // its first argument

using StepDescriptors = std::array<int, 3>;  // setup, socket to slurmd, lock

struct GivenStep {
  std::string title;
  StepDescriptors descriptors;  // now the receiver's
};

// The descriptors stay the caller's.
Result<void> give_step(int socket, const std::string& title, const StepDescriptors& descriptors);

// Waits for the next step; nothing = slurmd has gone, or sent something else.
std::optional<GivenStep> await_step(int socket);

}  // namespace muster::io
