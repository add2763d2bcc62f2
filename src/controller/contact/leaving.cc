// Notifies the jobs of a node that leaves, and takes a stopping host out of service.
#include "controller/contact/leaving.h"

#include "controller/jobs/ending.h"
#include "controller/jobs/preempt.h"
#include "controller/nodes/node_change.h"
#include "sched/preempt/preempt.h"

namespace muster::controller {

void on_host_leaving(Ledger& ledger, const NodeLinks& links, NodeId id) {
  const Time now = ledger.now();
  const Node& node = ledger.node(id);
  if (node.power.phase != PowerPhase::on || node.reboot.issued) return;
  ledger.log("node " + node.config.name.str() + ": the host stops");
  NodeChanged change = current(node);
  change.power.down_asked = true;
  if (change.reason.empty()) {
    change.reason = kHostStops;
    change.reason_uid = ledger.authority().slurm_user;
    change.reason_time = now;
  }
  ledger.record(change);
  clear_node(ledger, links, id, Leave::all);
  ledger.want_plan();
}

void clear_node(Ledger& ledger, const NodeLinks& links, NodeId id, Leave who) {
  const Time now = ledger.now();
  const IdSet jobs = ledger.node(id).jobs;
  for (std::uint32_t number : jobs.ids()) {
    const Job& job = ledger.job(JobId{number});
    if (!is_active(job.state) || job.run->ending || job.run->preemption) continue;
    Seconds grace = sched::grace_time(ledger.cluster(), job);
    const Partition* partition = ledger.cluster().find_partition(job.partition);
    if (grace.count() == 0 && partition) grace = Seconds{partition->grace_time_s};
    if (grace.count() == 0 && who == Leave::with_grace) continue;
    if (grace.count() == 0) grace = ledger.settings().power.down_grace;
    ledger.log("job " + std::to_string(number) + " has to leave node " +
               ledger.node(id).config.name.str());
    give_notice(
        ledger, links, job.id,
        {.by = {},
         .mode = may_requeue(ledger.cluster(), job) ? PreemptMode::requeue : PreemptMode::cancel,
         .since = now,
         .kill_at = now + grace});
  }
}

}  // namespace muster::controller
