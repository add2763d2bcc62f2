// The nursery: a slurmstepd without a step, which forks a slurmstepd for each packet that slurmd
// sends. Starting the program would be the slowest part of a launch. A packet contains the title
// for ps, and the descriptors with which the slurmstepd would have been started.
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
  StepDescriptors descriptors;  // owned by the receiver
};

// The caller keeps its descriptors.
Result<void> give_step(int socket, const std::string& title, const StepDescriptors& descriptors);

// Waits for the next step. Nothing = slurmd has gone, or has sent something else.
std::optional<GivenStep> await_step(int socket);

}  // namespace muster::io
