// scontrol reboot: a node is rebooted once nothing runs there, and has ResumeTimeout to come back.
#include "controller/core.h"
#include "controller/node_change.h"

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
    change.reboot.asked = false;
    change.reboot.issued = true;
    change.reboot.since = now;
    change.health = NodeHealth::down;
    change.reason = change.reason.str() + " : reboot issued";
    change.reason_time = now;
    record(change);
    order(id, wire::RebootOrder{});
  }
  for (NodeId id : late) {
    NodeChanged change = current(cluster_.nodes.at(id));
    host_.log_error("node " + cluster_.nodes.at(id).config.name.str() +
                    " is not back within ResumeTimeout after its reboot");
    change.reboot = {};
    change.reason = change.reason.str() + " : reboot timed out";
    record(change);
  }
}

}  // namespace muster::controller
