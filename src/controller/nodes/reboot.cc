// scontrol reboot: a node is rebooted once nothing runs there, and has ResumeTimeout to come back.
// --reboot: a job's nodes are rebooted when they are its own, and it begins when they are back.
#include "controller/core.h"
#include "controller/nodes/node_change.h"

namespace muster::controller {

void Core::issue_reboots(Time now) {
  std::vector<NodeId> ready, late;
  cluster_.nodes.each([&](const Node& node) {
    if (node.reboot.asked && node.jobs.empty() && sessions_.contains(node.id))
      ready.push_back(node.id);
    if (node.reboot.issued && now - node.reboot.since >= cluster_.settings().power.resume_timeout)
      late.push_back(node.id);
  });
  for (NodeId id : ready) {
    NodeChanged change = current(cluster_.nodes.at(id));
    change.health = NodeHealth::down;
    change.reason = change.reason.str() + " : reboot issued";
    change.reason_time = now;
    issue_reboot(change, now);
  }
  for (NodeId id : late) {
    NodeChanged change = current(cluster_.nodes.at(id));
    host_.log_error("node " + cluster_.nodes.at(id).config.name.str() +
                    " is not back within ResumeTimeout after its reboot");
    change.reboot = {};
    change.health = NodeHealth::down;
    change.reason = change.reason.str() + " : reboot timed out";
    record(change);
    lose_node(id, now, "it is not back from its reboot");
  }
}

void Core::issue_reboot(NodeChanged change, Time now) {
  change.reboot.asked = false;
  change.reboot.issued = true;
  change.reboot.since = now;
  record(change);
  order(change.node, wire::RebootOrder{});
}

bool Core::reboots_first(const Job& job) const {
  return job.spec->reboot && cluster_.settings().can_reboot;
}

void Core::reboot_for(const Job& job, Time now) {
  for (const NodeShare& share : job.run->allocation)
    issue_reboot(current(cluster_.nodes.at(share.node)), now);
}

}  // namespace muster::controller
