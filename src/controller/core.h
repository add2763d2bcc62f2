// Core: the controller's logic, on one thread and without locks. It passes each request and report
// to its handler, passes on the time, and sends what a batch holds once the batch is durable. A
// handler's signature says what it may touch: the ledger (ledger/ledger.h), which alone changes the
// state, and those of the owners below that it needs.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "controller/allocation/allocations.h"
#include "controller/attempts.h"
#include "controller/jobs/programs.h"
#include "controller/jobs/usage.h"
#include "controller/ledger/host.h"
#include "controller/ledger/ledger.h"
#include "controller/links/node_links.h"
#include "controller/planning/planning.h"
#include "controller/planning/statistics.h"
#include "controller/power/power.h"
#include "controller/reservations/reservations.h"
#include "controller/schedule/start.h"
#include "controller/steps/steps.h"
#include "controller/submit/site_says.h"
#include "controller/submit/submissions.h"
#include "controller/triggers/triggers.h"
#include "model/accounts/accounts_news.h"

namespace muster::controller {

class Core {
 public:
  Core(Host& host, Authority authority) : host_(host), ledger_(host, authority) {}
  Core(const Core&) = delete;  // its parts refer to each other
  Core& operator=(const Core&) = delete;

  // --- life ---
  // `accounted`: the last batch that accounting knows.
  Result<void> recover(StoredState stored, const ClusterConfig& config, Time now,
                       BatchNumber accounted = 0);
  void reconfigure(const ClusterConfig& config, ReplyTo to, Time now);
  Result<void> can_reconfigure(const ClusterConfig& config) const;

  // --- what happens ---
  // What memory does not suffice for has not happened. A request is refused, and each part of a
  // tick waits for the next one; a plan is made again. The others throw std::bad_alloc: they are to
  // be called again, but for reports, whose connection is to be closed: the node registers again,
  // and tells what it has to tell. flush() goes on with what is to leave after a commit.
  void on_request(ReplyTo to, Caller caller, wire::Request request, Time now,
                  const SiteSays& says = {});
  void on_client_closed(std::uint64_t connection, Time now);
  // Whether a silent client waits for something or keeps an allocation.
  bool serves(std::uint64_t connection) const;
  void on_report(NodeConnection from, wire::Report report, Time now);
  void on_node_closed(NodeConnection from, Time now);
  void on_committed(CommitOutcome outcome);
  void on_planned(sched::Plan plan, Time now, std::chrono::microseconds took = {});
  void on_planner_idle() { planning_.on_planner_idle(); }
  void on_program_ended(const SiteProgramRun& run, bool succeeded, Time now);
  // What is said about accounts is in force; then the answer may go.
  void on_accounts(const AccountsNews& news, ReplyTo to, wire::Answer answer, Time now);
  void on_tick(Time now);                     // about once a second
  void on_clock_step(Millis by, Time now);    // the clock that gives `now` was set
  void on_standstill(Millis span, Time now);  // this process did nothing and received nothing
  // munge refuses the node, because its clock differs from ours.
  void on_clock_difference(const Text& node, Seconds ahead, Time now);
  // Seals the open batch unless a commit is running. The host calls it after each delivery.
  void flush(Time now);

  const Cluster& cluster() const { return ledger_.cluster(); }
  const Cluster& committed() const { return ledger_.committed(); }
  const Ledger& ledger() const { return ledger_; }
  Statistics& statistics() { return statistics_; }
  Triggers& triggers() { return triggers_; }
  std::vector<NodeConnection> node_connections() const { return links_.connections(); }

 private:
  struct RequestVerbs;  // one overload for each request that Core answers
  struct ReportVerbs;   // one overload for each report of nodes
  void try_submission(ReplyTo to, Caller caller, wire::SubmitRequest request, const SiteSays& says,
                      int trials = 0);

  Host& host_;
  Ledger ledger_;
  Planning planning_{ledger_, host_};
  Statistics statistics_{ledger_};
  Triggers triggers_{ledger_};
  NodeLinks links_{ledger_, host_};
  Allocations allocations_{ledger_, host_, planning_};
  Submissions submissions_{ledger_, host_};
  Steps steps_{ledger_, host_, links_};
  Attempts attempts_{ledger_, allocations_, steps_, links_};
  Programs programs_{ledger_, links_};
  UsageClock usage_clock_{ledger_};
  Power power_{ledger_, links_, allocations_};
  Reservations reservations_{ledger_};
  Starter starter_{ledger_, planning_, power_, programs_};
};

}  // namespace muster::controller
