// Ends or requeues the jobs of a lost node.
#include "controller/contact/loss.h"

#include <csignal>

#include "controller/jobs/ending.h"

namespace muster::controller {

namespace {

// --no-kill: the job goes on with its other nodes, as long as its script runs on one of them.
bool goes_on_without(const Job& job, NodeId node) {
  if (!job.spec->no_kill || job.is_het() || job.run->ending || is_ended(job.state)) return false;
  auto batch = job.run->steps.find(kBatchStep);
  const bool has_script = batch != job.run->steps.end() && batch->second.unfinished.contains(node);
  return !has_script && job.run->unfinished.contains(node) && job.run->unfinished.size() > 1;
}

}  // namespace

void lose_node(Ledger& ledger, NodeLinks& links, Allocations& allocations, NodeId node,
               std::string_view why) {
  const Time now = ledger.now();
  std::vector<JobId> ids;
  for (std::uint32_t id : ledger.node(node).jobs.ids()) ids.push_back(JobId{id});
  for (JobId id : ids) {
    const Job& job = ledger.job(id);
    const Job& leader = *ledger.cluster().components(job).front();
    ledger.log("job " + std::to_string(id.value) + " lost node " +
               ledger.node(node).config.name.str() + ": " + std::string(why));
    if (goes_on_without(job, node)) {
      drop_from_node(ledger, links.launches(), id, node, SIGKILL);
      release_nodes(ledger, id, {node});
      continue;
    }
    if (!job.run->ending && !is_ended(job.state)) {
      if (job.spec->kind == JobKind::allocation)  // its command may have run there
        (void)allocations.tell_keeper(
            job, "error: Node failure on " + ledger.node(node).config.name.str());
      const bool again = may_requeue(ledger.cluster(), leader);
      Ending ending{.becomes = JobState::node_fail, .since = now, .requeue = again};
      ending.failure = again;
      order_end(ledger, id, ending, Reach::all_components);
    }
    // If slurmd is still there, it ends the job in the usual way and reports that.
    const bool runs_on =
        ledger.node(node).responding && links.runs(node, id, ledger.job(id).attempt);
    if (!runs_on) {
      drop_from_node(ledger, links.launches(), id, node, SIGKILL);
      release_node(ledger, id, node);
    }
    advance_endings(ledger, id);
  }
}

}  // namespace muster::controller
