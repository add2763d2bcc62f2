// Applies events, seals and lands batches, and undoes events of refused requests.
#include "controller/ledger/ledger.h"

#include <algorithm>
#include <set>
#include <type_traits>
#include <variant>

#include <fmt/format.h>

#include "base/check.h"
#include "base/codec/codec.h"
#include "controller/effects/mail.h"
#include "model/job/shared_parts.h"
#include "state/apply.h"
#include "state/invariants.h"
#include "state/snapshot.h"

namespace muster::controller {

namespace {

template <class T, class... Others>
constexpr bool is_one_of = (std::is_same_v<T, Others> || ...);

// Events of jobs change neither nodes nor partitions themselves.
template <class T>
constexpr bool concerns_jobs_alone =
    is_one_of<T, JobSubmitted, TaskSplit, JobStarted, StepCreated, StepNodeEnded, JobsEnding,
              JobEnded, NodesReleased, JobShrunk, JobsPurged, PendingJobsEnded, TriggerChanged,
              StepQueued, StepDequeued, StepLimitChanged, UsageCounted>;

// Events of running jobs and of nodes do not change the order of waiting jobs.
template <class T>
constexpr bool changes_a_node = requires(const T& e) { e.node; } && !is_one_of<T, NodeRemoved>;
template <class T>
constexpr bool leaves_the_order = concerns_jobs_alone<T> || changes_a_node<T>;

// The jobs that an event names.
template <class E>
void add_changed(const E& event, IdSet& jobs) {
  if constexpr (requires { event.jobs.ids(); }) {
    jobs.merge(event.jobs);
  } else if constexpr (requires { event.job.value; }) {
    jobs.insert(event.job.value);
  }
}
void add_changed(const JobSubmitted& event, IdSet& jobs) { jobs.insert(event.job.id.value); }

// The nodes whose state the event may change.
template <class E>
void add_nodes(const E& event, std::set<NodeId>& nodes) {
  if constexpr (requires { event.node; } && !concerns_jobs_alone<E>)
    nodes.insert(event.node);
  else if constexpr (is_one_of<E, NodesReleased, JobShrunk>)
    nodes.insert(event.nodes.begin(), event.nodes.end());
}

}  // namespace

void Ledger::note_changes(const Event& event) {
  open_.changes.note(cluster_, event);
  std::visit(
      [&]<class T>(const T& e) {
        add_changed(e, open_.changed_jobs);
        add_nodes(e, changed_nodes_);
        plan_wish_.order_changed |= !leaves_the_order<T>;
        if constexpr (!concerns_jobs_alone<T>) ++nodes_version_;
      },
      event);
}

void Ledger::record(Event event) {
  note_changes(event);
  EventLog log(cluster_, event, asker_);
  const bool forgets_a_run = std::holds_alternative<JobRequeued>(event);
  if (forgets_a_run) run_mails(event);
  job_counts_.before(cluster_, event);
  muster::apply(cluster_, event);
  std::move(log).add_to(open_.log, cluster_);
  job_counts_.after(cluster_, event);
  watch_list_.follow(cluster_, event);
  if (!forgets_a_run) run_mails(event);
  open_.events.push_back(encode(EventEntry{std::move(event)}));
}

void Ledger::run_mails(const Event& event) {
  for (SiteProgramRun& mail : mails_for(cluster_, event, now_)) run(std::move(mail));
}

const Batch* Ledger::seal() {
  Flight flight;
  flight.cluster = cluster_;  // first: after this nothing needs memory
  flight.batch.events = std::move(open_.events);
  flight.batch.blobs = std::move(open_.blobs);
  flight.rest = std::move(open_);
  open_ = {};
  const bool durable = !flight.batch.events.empty();
  if (durable) flight.batch.number = next_batch_++;
  in_flight_ = std::move(flight);
  return durable ? &in_flight_->batch : nullptr;
}

void Ledger::land(CommitOutcome outcome) {
  CHECK(in_flight_.has_value() && !landed_);
  const bool was_full = std::exchange(disk_full_, outcome == CommitOutcome::disk_full);
  commit_failed_ = outcome != CommitOutcome::committed;
  if (!commit_failed_) {
    landed_ = std::move(in_flight_);
    in_flight_.reset();
    committed_ = std::move(landed_->cluster);
  }
  if (outcome == CommitOutcome::out_of_memory)
    log_error("there is not enough memory to write the state: changes wait");
  if (disk_full_ && !was_full)
    log_error("the disk of StateSaveLocation is full: changes wait until there is room");
  if (was_full && !disk_full_) log("there is room on the disk of StateSaveLocation again");
}

BatchNumber Ledger::committed_batch() const {
  return in_flight_ && !in_flight_->batch.events.empty() ? next_batch_ - 2 : next_batch_ - 1;
}

Result<void> Ledger::recover(const StoredState& stored, BatchNumber accounted) {
  if (stored.snapshot_number) {
    auto cluster = decode_snapshot(stored.snapshot);
    if (!cluster) return fail("the state snapshot cannot be read: " + cluster.error().text());
    cluster_ = std::move(*cluster);
  }
  BatchNumber last = stored.snapshot_number;
  const BatchNumber newest = stored.journal.empty() ? last : stored.journal.back().number;
  if (accounted > newest) accounted = 0;  // it belongs to a state that has been erased since
  if (accounted < last) open_.changes.note_all(cluster_);
  SharedParts parts;
  for (const StoredState::Entry& entry : stored.journal) {
    if (entry.number != last + 1)
      return fail(fmt::format("the journal has a gap: batch {} follows {}", entry.number, last));
    last = entry.number;
    for (const std::string& bytes : entry.events) {
      auto event = decode<EventEntry>(bytes);
      if (!event)
        return fail(fmt::format(
            "batch {} of the journal holds an event that this version does not know", last));
      if (auto* submitted = std::get_if<JobSubmitted>(&event->event)) parts.share(submitted->job);
      if (last > accounted) open_.changes.note(cluster_, event->event);
      muster::apply(cluster_, event->event);
    }
  }
  open_.changes.note_waiting(cluster_);
  open_.changes.note_places(cluster_);
  next_batch_ = last + 1;
  if (auto broken = broken_invariants(cluster_); !broken.empty())
    return fail("the stored state contradicts itself: " + broken.front());
  committed_ = cluster_;
  if (settings().accounting && !open_.changes.empty())
    host_.account({std::exchange(open_.changes, {}), committed_, last});
  watch_list_.make_anew(cluster_);
  job_counts_.make_anew(cluster_);
  return {};
}

OpenMark Ledger::mark() const {
  return {
      open_.events.size(),   open_.blobs.size(), open_.replies.size(),        open_.orders.size(),
      open_.programs.size(), open_.log.size(),   open_.replies_awaiting_plan, job_counts_};
}

void Ledger::undo_since(const OpenMark& mark) noexcept {
  auto cut = [](auto& list, std::size_t size) {
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(std::min(size, list.size())), list.end());
  };
  cut(open_.events, mark.events);
  cut(open_.blobs, mark.blobs);
  cut(open_.replies, mark.replies);
  cut(open_.orders, mark.orders);
  cut(open_.programs, mark.programs);
  cut(open_.log, mark.log);
  open_.replies_awaiting_plan = mark.replies_awaiting_plan;
  job_counts_ = mark.job_counts;
  is_stale_ = true;
}

// From what was sealed last and the events that are left.
void Ledger::make_anew() {
  cluster_ = in_flight_ ? in_flight_->cluster : committed_;
  open_.changes = {};
  for (const std::string& bytes : open_.events) {
    auto entry = decode<EventEntry>(bytes);
    CHECK(entry.has_value());
    note_changes(entry->event);
    muster::apply(cluster_, entry->event);
  }
  watch_list_.make_anew(cluster_);
  ++nodes_version_;
  plan_wish_.order_changed = true;
  is_stale_ = false;
}

}  // namespace muster::controller
