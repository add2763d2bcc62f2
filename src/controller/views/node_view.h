// Answers about nodes and partitions, from what the controller has published.
#pragma once

#include "controller/views/view.h"

namespace muster::controller {

wire::NodesReply nodes_reply(const Published& published, const Visibility& visible,
                             const wire::NodesRequest& request, Time now);
wire::PartitionsReply partitions_reply(const Published& published);

}  // namespace muster::controller
