// Collects which rows the events of a batch change, and makes these rows.
#include "accounting/changes.h"

#include <iterator>

#include "accounting/places.h"
#include "accounting/record.h"
#include "state/step_end.h"

namespace muster::accounting {

namespace {

// The jobs whose rows an event changes.
template <class E>
void add_jobs(const E& event, IdSet& jobs) {
  if constexpr (requires { event.jobs.ids(); }) {
    jobs.merge(event.jobs);
  } else if constexpr (requires { event.job.value; }) {
    jobs.insert(event.job.value);
  }
}
void add_jobs(const JobSubmitted& event, IdSet& jobs) { jobs.insert(event.job.id.value); }
void add_jobs(const TaskSplit& event, IdSet& jobs) {
  jobs.insert(event.array.value);
  jobs.insert(event.id.value);
}
void add_jobs(const TasksCancelled& event, IdSet& jobs) { jobs.insert(event.array.value); }
void add_jobs(const JobsAccruing& event, IdSet& jobs) { jobs.merge(event.jobs); }
// These events change no row.
void add_jobs(const NodesReleased&, IdSet&) {}
void add_jobs(const JobMailed&, IdSet&) {}
void add_jobs(const JobWarned&, IdSet&) {}
void add_jobs(const JobNoticed&, IdSet&) {}
void add_jobs(const GraceExtended&, IdSet&) {}
void add_jobs(const EpilogEnded&, IdSet&) {}

// The row of a run that ends because its job is requeued.
JobRecord superseded(const Cluster& before, const Job& job, Time at) {
  JobRecord record = job_record(before, job);
  record.superseded = true;
  record.state = JobState::cancelled;
  record.state_text = "REQUEUED";
  if (is_ended(job.state)) {
    record.exit_status = job.run->exit_status;
    return record;
  }
  record.ended = is_set(job.over_since()) ? job.over_since() : at;
  if (!job.run->ending) return record;
  const JobState end = job.run->ending->becomes;
  if (end == JobState::failed) {  // by RequeueExit
    if (auto batch = job.run->steps.find(kBatchStep); batch != job.run->steps.end())
      record.exit_status = batch->second.exit_status;
  } else if (end != JobState::cancelled) {
    record.state = end;
    record.state_text = state_name(end);
  }
  return record;
}

void note_end(const Cluster& before, const StepNodeEnded& end, AccountingChanges& changes) {
  const Job& job = before.jobs.at(end.job);
  const Step& step = job.run->steps.at(end.step);
  const bool goes_on = step.unfinished.size() > 1;  // so as not to copy a wide step once per node
  if (goes_on || stays_after_its_end(end.step)) {
    changes.steps.emplace(end.job, end.step);
    return;
  }
  changes.steps.erase({end.job, end.step});
  changes.gone_steps.push_back(step_record(before, job, with_end(step, end)));
}

}  // namespace

void AccountingChanges::make_final_rows(const Cluster& before, std::uint32_t id) {
  const Job* job = before.jobs.find(JobId{id});
  if (!job || !jobs.contains(id)) return;
  gone_jobs.push_back(job_record(before, *job));
  for (const auto& [step_id, step] : job->run->steps)
    if (steps.erase({job->id, step_id}) > 0) gone_steps.push_back(step_record(before, *job, step));
  jobs.erase(id);
}

void AccountingChanges::note(const Cluster& before, const Event& event) {
  if (const auto* purge = std::get_if<JobsPurged>(&event)) {
    for (const IdSet* gone : {&purge->jobs, &purge->remembered}) {
      for (std::uint32_t id : gone->ids()) make_final_rows(before, id);
      purged.merge(*gone);
    }
    return;
  }
  if (const auto* requeue = std::get_if<JobRequeued>(&event)) {
    const Job& job = before.jobs.at(requeue->job);
    gone_jobs.push_back(superseded(before, job, requeue->at));
    for (const auto& [id, step] : job.run->steps) {
      steps.erase({job.id, id});
      gone_steps.push_back(step_record(before, job, step));
    }
  }
  std::visit([&](const auto& e) { add_jobs(e, jobs); }, event);
  if (const auto* suspended = std::get_if<JobSuspended>(&event))
    suspensions.push_back(suspension_record(before, *suspended));
  note_places_of(before, event, *this);
  if (std::holds_alternative<ClockStepped>(event))
    for (std::uint32_t id : before.active.ids()) {
      jobs.insert(id);
      for (const auto& [step, unused] : before.jobs.at(JobId{id}).run->steps)
        steps.emplace(JobId{id}, step);
    }
  if (const auto* made = std::get_if<StepCreated>(&event)) steps.emplace(made->job, made->step.id);
  if (const auto* end = std::get_if<StepNodeEnded>(&event)) note_end(before, *end, *this);
  if (const auto* run = std::get_if<JobStarted>(&event); run && run->runs_batch)
    steps.emplace(run->job, kBatchStep);
}

void AccountingChanges::note_all(const Cluster& cluster) {
  cluster.jobs.each([&](const Job& job) {
    jobs.insert(job.id.value);
    for (const auto& [id, step] : job.run->steps) steps.emplace(job.id, id);
  });
}

void AccountingChanges::note_waiting(const Cluster& cluster) {
  for (std::uint32_t id : cluster.pending.ids())
    if (cluster.jobs.at(JobId{id}).has_only_waited()) jobs.insert(id);
}

void AccountingChanges::note_places(const Cluster& cluster) {
  cluster.nodes.each([&](const Node& node) { nodes.insert(node.id.value); });
  cluster_size = true;
  for (const Reservation& reservation : *cluster.reservations)
    reservations.push_back(reservation_record(cluster, reservation));
}

void AccountingChanges::date(const Cluster& cluster, Time now) {
  if (nodes.empty() && !cluster_size && reservations.empty()) return;
  const Text& name = cluster.settings().cluster_name;
  const bool is_configured = !name.empty();  // not before the first start
  for (std::uint32_t id : nodes.ids())
    if (const Node* node = cluster.nodes.find(NodeId{id}); node && is_configured)
      dated.emplace_back(node_record(name, *node, now));
  if (cluster_size && is_configured) dated.emplace_back(size_record(cluster, now));
  for (ReservationRecord& reservation : reservations) {
    if (reservation.gone && reservation.start < now) {  // it ends, and what it was stays
      reservation.gone = false;
      reservation.end = std::min(reservation.end, now);
    }
    dated.emplace_back(std::move(reservation));
  }
  nodes = {};
  cluster_size = false;
  reservations.clear();
}

void AccountingDelta::add(AccountingDelta later) {
  for (std::uint32_t id : later.changes.purged.ids()) changes.make_final_rows(cluster, id);
  // A step that has ended since has its final row. If it is noted again, that is a later run's
  // step.
  for (const StepRecord& step : later.changes.gone_steps)
    changes.steps.erase({step.job, step.step});
  changes.jobs.merge(later.changes.jobs);
  changes.steps.merge(later.changes.steps);
  std::ranges::move(later.changes.gone_jobs, std::back_inserter(changes.gone_jobs));
  std::ranges::move(later.changes.gone_steps, std::back_inserter(changes.gone_steps));
  std::ranges::move(later.changes.suspensions, std::back_inserter(changes.suspensions));
  std::ranges::move(later.changes.dated, std::back_inserter(changes.dated));
  cluster = std::move(later.cluster);
  number = later.number;
}

std::vector<AccountingRecord> AccountingDelta::records() const {
  std::vector<AccountingRecord> all;
  const Settings& settings = cluster.settings();
  all.reserve(changes.size());
  if (settings.record_jobs) {
    add_jobs(all);
    all.insert(all.end(), changes.suspensions.begin(), changes.suspensions.end());
  }
  if (settings.record_steps) add_steps(all);
  all.insert(all.end(), changes.dated.begin(), changes.dated.end());
  return all;
}

void AccountingDelta::add_jobs(std::vector<AccountingRecord>& all) const {
  all.insert(all.end(), changes.gone_jobs.begin(), changes.gone_jobs.end());
  for (std::uint32_t id : changes.jobs.ids())
    if (const Job* job = cluster.jobs.find(JobId{id})) all.emplace_back(job_record(cluster, *job));
}

void AccountingDelta::add_steps(std::vector<AccountingRecord>& all) const {
  all.insert(all.end(), changes.gone_steps.begin(), changes.gone_steps.end());
  for (const auto& [id, step_id] : changes.steps) {
    const Job* job = cluster.jobs.find(id);
    if (!job) continue;
    if (auto step = job->run->steps.find(step_id); step != job->run->steps.end())
      all.emplace_back(step_record(cluster, *job, step->second));
  }
}

}  // namespace muster::accounting
