// Names and numbers of messages in sdiag: Slurm's where it has such a message. Ours alone are named
// MUSTER_..., with numbers above all of Slurm's.
#pragma once

#include <cstdint>
#include <string_view>

#include "wire/node_messages.h"
#include "wire/requests.h"

namespace muster::daemon {

struct MessageType {
  std::uint16_t id = 0;
  std::string_view name;
};

MessageType type_of(const wire::Request& request);
MessageType type_of(const wire::Report& report);
MessageType type_of(const wire::Order& order);

}  // namespace muster::daemon
