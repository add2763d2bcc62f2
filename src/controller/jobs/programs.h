// Site programs around a job: what follows from their ends, and the extern step of
// PrologFlags=Contain.
#pragma once

#include <set>

#include "controller/ledger/ledger.h"
#include "controller/links/node_links.h"

namespace muster::controller {

// Runs EpilogSlurmctld, if there is one. It is owed until it has ended, across restarts of the
// controller.
void run_epilog(Ledger& ledger, const Job& job);
// Runs Epilogs that were owed when an earlier controller ended, whether it had started them or not.
void run_owed_epilogs(Ledger& ledger);
// Drains the node, and requeues and holds the job: if the fault is the job's, it would fail on
// other nodes as well.
void on_prolog_failed(Ledger& ledger, NodeId node, JobId id, Attempt attempt);
void create_extern_step(Ledger& ledger, JobId id);

// Runs of PrologSlurmctld, and the jobs that wait for them or for their nodes.
class Programs {
 public:
  Programs(Ledger& ledger, NodeLinks& links) : ledger_(ledger), links_(links) {}

  void start_prolog(const Job& job);
  void on_ended(const SiteProgramRun& run, bool succeeded);
  // Launches the job if its PrologSlurmctld has run and its nodes are up. If it waited for a node,
  // its run time counts from now.
  void launch_if_prepared(JobId id);

 private:
  void give_up(JobId job);

  Ledger& ledger_;
  NodeLinks& links_;
  std::set<JobId> prologs_running_;
};

}  // namespace muster::controller
