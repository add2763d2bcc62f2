// node_connection: connects to the slurmd of a node, from a command or from another node.
#pragma once

#include "io/net/channel.h"
#include "wire/step_messages.h"

namespace muster::io {

Result<Channel> connect_to_node(const wire::NodeAccess& access, const wire::Branch& node);
// Tries again until access.timeout is over, because the slurmd may still be starting.
Result<Channel> connect_to_node_patiently(const wire::NodeAccess& access, const wire::Branch& node);

// Turns a host name into an address such as "10.0.0.1"; an unknown name is returned as it is.
std::string numeric_address(const std::string& host);

}  // namespace muster::io
