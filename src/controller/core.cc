// The batch: how events become durable, and what leaves afterwards.
#include "controller/core.h"

#include <type_traits>

#include "base/check.h"
#include "base/codec/codec.h"
#include "state/apply.h"

namespace muster::controller {

namespace {

constexpr Seconds kDeepPlanEvery{5};

template <class T, class... Others>
constexpr bool is_one_of = (std::is_same_v<T, Others> || ...);

// Jobs that come, start and end change neither the nodes nor the partitions themselves ...
template <class T>
constexpr bool concerns_jobs_alone =
    is_one_of<T, JobSubmitted, TaskSplit, JobStarted, StepCreated, StepNodeEnded, JobsEnding,
              JobEnded, NodesReleased, JobShrunk, JobsPurged, PendingJobsEnded, StepQueued,
              StepDequeued, StepLimitChanged, UsageCounted>;

// ... and leave those who wait in their order, in which nodes have no part.
template <class T>
constexpr bool leaves_the_order =
    concerns_jobs_alone<T> || is_one_of<T, NodeRegistered, NodeChanged>;

// The jobs that an event changes.
template <class E>
void add_changed(const E& event, IdSet& jobs) {
  if constexpr (requires { event.jobs.ids(); }) {
    jobs.merge(event.jobs);
  } else if constexpr (requires { event.job.value; }) {
    jobs.insert(event.job.value);
  }
}
void add_changed(const JobSubmitted& event, IdSet& jobs) { jobs.insert(event.job.id.value); }

}  // namespace

void Core::record(Event event) {
  open_.changes.note(cluster_, event);
  std::visit(
      [&]<class T>(const T& e) {
        add_changed(e, open_.changed_jobs);
        order_changed_ |= !leaves_the_order<T>;
        if constexpr (!concerns_jobs_alone<T>) known_fits_.forget();
      },
      event);
  const bool forgets_a_run = std::holds_alternative<JobRequeued>(event);
  if (forgets_a_run) mail_for(event);
  muster::apply(cluster_, event);
  watch_list_.follow(cluster_, event);
  if (!forgets_a_run) mail_for(event);
  open_.events.push_back(encode(EventEntry{std::move(event)}));
}

void Core::touch_nodes_of(const Job& job) {
  for (NodeId node : job.run->unfinished) touch_node(node);
}

// A batch whose answers are awaited together with a start is committed with that start, once
// instead of twice. It waits for one plan, and not while anybody waits for something else.
bool Core::waits_for_plan() const {
  return planning_ && !open_.had_its_plan && open_.patient_replies > 0 &&
         open_.replies.size() == open_.patient_replies && open_.orders.empty();
}

void Core::flush(Time now) {
  now_ = now;
  if (!disk_full_) start_waiting_steps(now);
  if (!disk_full_ && cluster_.settings().preempt.gang) take_turns(now);
  // The plan may see what is not durable yet: its starts are events of a later batch.
  if (plan_wanted_ && !planning_) {
    plan_wanted_ = false;
    planning_ = true;
    // Every few seconds the whole queue is looked at, otherwise as much as an answer at once
    // allows.
    bool deep = now - last_deep_plan_ >= kDeepPlanEvery;
    if (deep) last_deep_plan_ = now;
    sched::Budget budget = deep ? sched::thorough_budget(cluster_) : sched::quick_budget(cluster_);
    budget.order_changed = std::exchange(order_changed_, false);
    host_.start_planning(cluster_, now, budget);
  }
  if (in_flight_ || open_.empty() || waits_for_plan()) return;
  Flight flight;
  flight.batch.events = std::move(open_.events);
  flight.batch.blobs = std::move(open_.blobs);
  flight.rest = std::move(open_);
  flight.cluster = cluster_;
  open_ = {};
  bool durable = !flight.batch.events.empty();
  if (durable) flight.batch.number = next_batch_++;
  in_flight_ = std::move(flight);
  if (durable) return host_.commit(in_flight_->batch);
  on_committed(CommitOutcome::committed);
}

void Core::on_committed(CommitOutcome outcome) {
  CHECK(in_flight_.has_value());
  if (outcome == CommitOutcome::disk_full) {
    // Its clients wait; on_tick tries again. New changes are refused meanwhile.
    if (!disk_full_)
      host_.log_error("the disk of StateSaveLocation is full: changes wait until there is room");
    disk_full_ = true;
    return;
  }
  if (disk_full_) host_.log("there is room on the disk of StateSaveLocation again");
  disk_full_ = false;
  Flight flight = std::move(*in_flight_);
  in_flight_.reset();
  committed_ = std::move(flight.cluster);
  if (!flight.batch.events.empty()) {
    host_.publish(published());
    if (cluster_.settings().accounting)
      host_.account({std::move(flight.rest.changes), committed_, flight.batch.number});
  }
  for (auto& [to, a] : flight.rest.replies) host_.reply(to, std::move(a));
  std::map<NodeId, std::vector<OutgoingOrder>> direct;
  for (auto& [node, o] : flight.rest.orders) direct[node].push_back({std::move(o), {}, {}});
  for (auto& [node, orders] : direct)
    if (auto session = sessions_.find(node); session != sessions_.end())
      host_.send(session->second.connection, cluster_.epoch, std::move(orders));
  send_effects(committed_, flight.rest.touched_nodes);
  for (SiteProgramRun& run : flight.rest.programs) host_.run_program(std::move(run));
  answer_waiters_of(flight.rest.changed_jobs);
  flush(now_);
}

std::vector<NodeConnection> Core::node_connections() const {
  std::vector<NodeConnection> all;
  for (const auto& [node, session] : sessions_) all.push_back(session.connection);
  return all;
}

bool Core::is_operator(Caller caller) const {
  return caller.uid.value == 0 || caller.uid == options_.slurm_user;
}

bool Core::may_change(Caller caller, const Job& job) const {
  return is_operator(caller) || job.spec->uid == caller.uid;
}

}  // namespace muster::controller
