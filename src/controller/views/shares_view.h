// What sshare is told: the tree of associations, their shares and their usage.
#pragma once

#include "controller/views/visibility.h"
#include "model/cluster.h"
#include "wire/client_messages.h"

namespace muster::controller {

wire::SharesReply shares_reply(const Cluster& cluster, const Visibility& visible, Time now);

}  // namespace muster::controller
