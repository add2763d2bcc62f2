// The answer to sshare: the tree of associations, with shares and usage.
#pragma once

#include "controller/views/visibility.h"
#include "model/cluster.h"
#include "wire/client_messages.h"

namespace muster::controller {

wire::SharesReply shares_reply(const Cluster& cluster, const Visibility& visible, Time now);

}  // namespace muster::controller
