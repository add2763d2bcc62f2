// Nodes whose clock differs so much from the controller's that munge refuses them. They are alive,
// and their jobs go on.
#include "controller/contact/register.h"

#include <fmt/format.h>

#include "controller/nodes/node_change.h"

namespace muster::controller {

void on_clock_difference(Ledger& ledger, NodeLinks& links, const Text& name, Seconds ahead) {
  const Time now = ledger.now();
  const Node* node = ledger.cluster().find_node(name);
  if (!node) return;
  links.note_refusal(node->id);
  const std::string why = clock_reason(ahead);
  if (node->reason == why) return;
  ledger.log_error(fmt::format("node {} is refused by munge: its {}", name.view(), why));
  // Keep a different reason that a user or the controller has set.
  if (!node->reason.empty() && !is_clock_reason(node->reason) && node->reason != kNotResponding)
    return;
  NodeChanged change = current(*node);
  change.responding = false;
  change.reason = why;
  change.reason_uid = ledger.authority().slurm_user;
  change.reason_time = now;
  ledger.record(change);
  ledger.want_plan();
}

}  // namespace muster::controller
