// A connection to the slurmd of a node, from a command or from a process on another node.
#pragma once

#include "io/net/channel.h"
#include "wire/step_messages.h"

namespace muster::io {

Result<Channel> connect_to_node(const wire::NodeAccess& access, const wire::Branch& node);
// As long as the access allows it: the slurmd may be on its way up.
Result<Channel> connect_to_node_patiently(const wire::NodeAccess& access, const wire::Branch& node);

// "10.0.0.1" for a name, where it can be found; numbers stay as they are.
std::string numeric_address(const std::string& host);

}  // namespace muster::io
