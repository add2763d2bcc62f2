// Ledger: the state and its only writer. An event changes the working state at once and joins the
// open batch; replies, orders and programs of that batch leave only after its commit. The ledger
// also knows the time of the latest delivery, and who may do what.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controller/effects/event_log.h"
#include "controller/ledger/authority.h"
#include "controller/ledger/host.h"
#include "controller/ledger/job_counts.h"
#include "controller/ledger/open_batch.h"
#include "controller/ledger/rights.h"
#include "controller/ledger/watch_list.h"
#include "model/cluster.h"
#include "state/event.h"
#include "state/store.h"

namespace muster::controller {

struct PlanWish {
  bool wanted = true;
  // Whether the order of the queue has changed since the last plan began, by more than the queue
  // itself can see.
  bool order_changed = true;
};

class Ledger {
 public:
  Ledger(Host& host, Authority authority) : host_(host), authority_(authority) {}

  // --- reading ---
  // The working state: what is committed, plus the batch in flight, plus the open batch.
  const Cluster& cluster() const { return cluster_; }
  const Cluster& committed() const { return committed_; }
  const Settings& settings() const { return cluster_.settings(); }
  const Job& job(JobId id) const { return cluster_.jobs.at(id); }
  const Node& node(NodeId id) const { return cluster_.nodes.at(id); }
  // The job as it is now; it stays the same whatever is recorded afterwards.
  Cow<Job> job_as_it_is(JobId id) const { return cluster_.jobs.share(id); }
  const Authority& authority() const { return authority_; }
  Rights rights() const { return {authority_, cluster_}; }
  WatchList& watch_list() { return watch_list_; }
  const wire::JobCounts& job_counts() const { return job_counts_.counts(); }
  void reset_job_counts() { job_counts_.reset(); }
  Time now() const { return now_; }  // of the latest delivery
  void set_now(Time now) { now_ = now; }

  // --- writing ---
  // Whose request the next events come from.
  void set_asker(Asker asker) { asker_ = std::move(asker); }
  void record(Event event);
  void reply(ReplyTo to, wire::Answer answer) { open_.replies.emplace_back(to, std::move(answer)); }
  void order(NodeId node, wire::Order order) { open_.orders.emplace_back(node, std::move(order)); }
  // The orders that this node needs may have changed.
  void touch(NodeId node) { open_.touched_nodes.insert(node); }
  void run(SiteProgramRun program) { open_.programs.push_back(std::move(program)); }
  void keep_blob(std::string hash, std::string bytes) {
    open_.blobs.emplace_back(std::move(hash), std::move(bytes));
  }
  void log(std::string_view line) { host_.log(line); }
  void log_error(std::string_view line) { host_.log_error(line); }

  // --- planning ---
  void want_plan() { plan_wish_.wanted = true; }
  void want_plan_anew() { plan_wish_ = PlanWish{}; }  // the last one was lost
  const PlanWish& plan_wish() const { return plan_wish_; }
  PlanWish take_plan_wish() { return std::exchange(plan_wish_, {false, false}); }
  // Increases whenever nodes or partitions may have changed.
  std::uint64_t nodes_version() const { return nodes_version_; }
  // Nodes whose records may have changed since this was cleared.
  std::set<NodeId>& changed_nodes() { return changed_nodes_; }
  // The client of the last reply also waits for a plan.
  void await_plan() { ++open_.replies_awaiting_plan; }
  void note_plan() { open_.plan_seen = open_.replies_awaiting_plan > 0; }

  // --- batches ---
  // `accounted`: the last batch that accounting knows.
  Result<void> recover(const StoredState& stored, BatchNumber accounted);
  const IdSet& changed_jobs() const { return open_.changed_jobs; }  // of the open batch
  // Waiting steps of this job are tried again with this batch.
  void mark_changed(JobId job) { open_.changed_jobs.insert(job.value); }
  bool has_open() const { return !open_.empty(); }
  bool has_flight() const { return in_flight_.has_value(); }
  bool only_awaits_plan() const { return open_.only_awaits_plan(); }
  bool is_disk_full() const { return disk_full_; }
  // Moves the open batch into flight. Returns nothing if the batch has no event: then land() may
  // follow at once.
  const Batch* seal();
  // The batch whose commit did not succeed; once for each time.
  const Batch* take_failed() {
    return std::exchange(commit_failed_, false) ? &in_flight_->batch : nullptr;
  }
  // Where the batch is durable, what it holds may leave. Otherwise it is to be committed again.
  void land(CommitOutcome outcome);
  std::optional<Flight>& landed() { return landed_; }
  BatchNumber committed_batch() const;
  // Changes with every recorded event.
  std::pair<BatchNumber, std::size_t> version() const { return {next_batch_, open_.events.size()}; }

  // --- undoing ---
  OpenMark mark() const;
  // Makes the open batch what it was at the mark. The state is stale then: it has to be made anew,
  // for which memory has to suffice, before anything else happens.
  void undo_since(const OpenMark& mark) noexcept;
  bool is_stale() const { return is_stale_; }
  void make_anew();

 private:
  void run_mails(const Event& event);
  void note_changes(const Event& event);

  Host& host_;
  Authority authority_;
  Cluster cluster_;
  Cluster committed_;
  OpenBatch open_;
  std::optional<Flight> in_flight_, landed_;
  BatchNumber next_batch_ = 1;
  bool disk_full_ = false;
  bool commit_failed_ = false;
  bool is_stale_ = false;
  WatchList watch_list_;
  JobCounter job_counts_;
  Time now_;
  Asker asker_;
  PlanWish plan_wish_;
  std::uint64_t nodes_version_ = 0;
  std::set<NodeId> changed_nodes_;
};

// The orders that the nodes of the job need may have changed.
inline void touch_nodes_of(Ledger& ledger, const Job& job) {
  for (NodeId node : job.run->unfinished) ledger.touch(node);
}

// The step has ended, or never existed.
inline bool is_step_over(const Job& job, StepId id) {
  auto step = job.run->steps.find(id);
  return step == job.run->steps.end() || is_ended(step->second.state);
}

}  // namespace muster::controller
