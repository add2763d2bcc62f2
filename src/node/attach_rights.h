// What a caller may ask of a step on this node.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "wire/step_messages.h"

namespace muster {

// The step's user, root and SlurmUser; they must also prove that they have the step's key.
inline bool may_attach(Uid caller, Uid owner, Uid slurm_user) {
  return caller == owner || caller == Uid{0} || caller == slurm_user;
}

// Checks that the nodes below are other nodes of the step: a step has a task on each of its nodes.
Result<void> check_below(const wire::Below& below, std::uint32_t tasks_of_step);

// Checks that the controller has allowed this caller to write files on this node.
Result<void> check_grant(const wire::FileGrant& grant, Uid caller, std::string_view node, Time now);

}  // namespace muster
