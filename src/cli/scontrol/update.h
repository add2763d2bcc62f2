// The words of `scontrol update`: which record, which of its keys, which values.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "cli/scontrol/session.h"
#include "wire/client_messages.h"

namespace muster::cli {

// What the user is told instead; whole lines without the last newline.
using UpdateRefusal = std::string;

// Keys are written out in full in the request, whatever abbreviation was used. The first setting
// names the record: JobId, NodeName, PartitionName or StepId; jobs chosen by name have JobName
// alone.
std::expected<wire::UpdateRequest, UpdateRefusal> parse_update(Words words);

}  // namespace muster::cli
