// The words of `scontrol update`: which record, which keys, which values.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "cli/scontrol/session.h"
#include "wire/client_messages.h"

namespace muster::cli {

// The message for the user; whole lines, the last one without its newline.
using UpdateRefusal = std::string;

// In the request all keys are complete, even if they were abbreviated. The first setting names the
// record: JobId, NodeName, PartitionName or StepId; jobs that are selected by name have only
// JobName.
std::expected<wire::UpdateRequest, UpdateRefusal> parse_update(Words words);

}  // namespace muster::cli
