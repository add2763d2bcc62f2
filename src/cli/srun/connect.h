// Joining a step: one connection to each root of the tree of its nodes, which reach the others, and
// another one for what MPI tasks tell each other.
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

// A connection to the first of these places, which relays for the others. On any thread.
Result<io::Channel> join_places(const StepToJoin& step, const Section& run, bool exchanges);

}  // namespace muster::cli
