// The site's own programs around a job: what follows from their ends, and the extern step that
// PrologFlags=Contain asks for.
#pragma once

#include <set>

#include "controller/ledger/ledger.h"
#include "controller/links/node_links.h"

namespace muster::controller {

// EpilogSlurmctld, if there is one. It is owed until it has ended, even by a later controller.
void run_epilog(Ledger& ledger, const Job& job);
// Epilogs that an earlier controller owed when it ended, whether it had started them or not.
void run_owed_epilogs(Ledger& ledger);
// The node is drained and the job goes back to the queue, held: it would meet the same failure
// again elsewhere if the fault is its own.
void on_prolog_failed(Ledger& ledger, NodeId node, JobId id, Attempt attempt);
void create_extern_step(Ledger& ledger, JobId id);

// Runs of PrologSlurmctld, and the jobs that wait for them or for their nodes.
class Programs {
 public:
  Programs(Ledger& ledger, NodeLinks& links) : ledger_(ledger), links_(links) {}

  void start_prolog(const Job& job);
  void on_ended(const SiteProgramRun& run, bool succeeded);
  // A job whose PrologSlurmctld has run and whose nodes are up starts; its time counts from here if
  // it waited for a node.
  void launch_if_prepared(JobId id);

 private:
  void give_up(JobId job);

  Ledger& ledger_;
  NodeLinks& links_;
  std::set<JobId> prologs_running_;
};

}  // namespace muster::controller
