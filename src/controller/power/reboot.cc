// scontrol reboot: a node is rebooted once nothing runs on it, and has ResumeTimeout to come back.
// --reboot: a job's nodes are rebooted once it has them, and it begins when they are back. See
// power.h.
#include "controller/power/power.h"

#include "controller/contact/loss.h"
#include "controller/nodes/node_change.h"

namespace muster::controller {

void Power::tick_reboots() {
  const Time now = ledger_.now();
  std::vector<NodeId> ready, late;
  ledger_.cluster().nodes.each([&](const Node& node) {
    if (node.reboot.asked && node.jobs.empty() && links_.is_connected(node.id))
      ready.push_back(node.id);
    if (node.reboot.issued && now - node.reboot.since >= ledger_.settings().power.resume_timeout)
      late.push_back(node.id);
  });
  for (NodeId id : ready) {
    NodeReason reason = reason_and(ledger_.node(id), " : reboot issued");
    reason.at = now;
    ledger_.record(NodeWentDown{.node = id, .reason = std::move(reason)});
    issue_reboot(id);
  }
  for (NodeId id : late) {
    const Node& node = ledger_.node(id);
    ledger_.log_error("node " + node.config.name.str() +
                      " is not back within ResumeTimeout after its reboot");
    NodeReason reason = reason_and(node, " : reboot timed out");
    ledger_.record(NodeRebootEnded{.node = id});
    ledger_.record(NodeWentDown{.node = id, .reason = std::move(reason)});
    lose_node(ledger_, links_, allocations_, id, "it is not back from its reboot");
  }
}

void Power::issue_reboot(NodeId id) {
  ledger_.record(NodeRebootIssued{.node = id, .at = ledger_.now()});
  ledger_.order(id, wire::RebootOrder{});
}

void Power::reboot_for(const Job& job) {
  for (const NodeShare& share : job.run->allocation) issue_reboot(share.node);
}

}  // namespace muster::controller
