// A connection to the slurmd of one of a step's nodes, which hands the connection on to the step.
#pragma once

#include "cli/lib/controller.h"
#include "io/net/node_connection.h"
#include "wire/client_messages.h"
#include "wire/step_messages.h"

namespace muster::cli {

wire::NodeAccess access_to_nodes(const ClientConfig& config);
wire::Branch branch_of(const wire::StepPlace& place, std::size_t number);
// For a node that connects on our behalf. It contains addresses only, because a step may not be
// able to look up names.
wire::Branch branch_below(const ClientConfig& config, const wire::StepPlace& place,
                          std::size_t number);

Result<io::Channel> connect_to_node(const ClientConfig& config, const wire::StepPlace& place);

// What a step's tasks on one of its nodes have used so far, and their process ids.
Result<wire::StepUsage> ask_usage(const ClientConfig& config, const wire::StepRef& ref,
                                  std::string_view key, const wire::StepPlace& place);

}  // namespace muster::cli
