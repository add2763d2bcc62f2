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
    NodeChanged change = current(ledger_.node(id));
    change.health = NodeHealth::down;
    change.reason = change.reason.str() + " : reboot issued";
    change.reason_time = now;
    issue_reboot(change);
  }
  for (NodeId id : late) {
    NodeChanged change = current(ledger_.node(id));
    ledger_.log_error("node " + ledger_.node(id).config.name.str() +
                      " is not back within ResumeTimeout after its reboot");
    change.reboot = {};
    change.health = NodeHealth::down;
    change.reason = change.reason.str() + " : reboot timed out";
    ledger_.record(change);
    lose_node(ledger_, links_, allocations_, id, "it is not back from its reboot");
  }
}

void Power::issue_reboot(NodeChanged change) {
  const Time now = ledger_.now();
  change.reboot.asked = false;
  change.reboot.issued = true;
  change.reboot.since = now;
  ledger_.record(change);
  ledger_.order(change.node, wire::RebootOrder{});
}

void Power::reboot_for(const Job& job) {
  for (const NodeShare& share : job.run->allocation)
    issue_reboot(current(ledger_.node(share.node)));
}

}  // namespace muster::controller
