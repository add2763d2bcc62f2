// Connections to a step: one to each root of the tree of its nodes, which relay to the others, and
// further ones for messages between MPI tasks.
#pragma once

#include "base/result.h"
#include "base/tree.h"
#include "cli/lib/controller.h"
#include "io/net/channel.h"
#include "wire/client_messages.h"

namespace muster::cli {

struct StepToJoin {
  const wire::StepReply& reply;
  const ClientConfig& config;
  bool sends_input = false;
};

// Connects to the first of these places, which relays for the others. Any thread.
Result<io::Channel> join_places(const StepToJoin& step, const Section& run, bool exchanges);

}  // namespace muster::cli
