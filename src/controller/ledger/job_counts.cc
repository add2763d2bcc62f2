// See job_counts.h.
#include "controller/ledger/job_counts.h"

#include <variant>
#include <vector>

namespace muster::controller {

namespace {

std::uint64_t waiting_in(const Job& job) {
  if (job.state != JobState::pending) return 0;
  return job.is_array_record() ? job.waiting_tasks.size() : 1;
}

// Calls act(record) for each record whose jobs the event moves from one state to another.
template <class Act>
struct ForMoved {
  const Cluster& cluster;
  Act act;

  void one(JobId id) const {
    if (const Job* job = cluster.jobs.find(id)) act(*job);
  }
  void operator()(const JobSubmitted& e) const { one(e.job.id); }
  void operator()(const TaskSplit& e) const {
    one(e.array);
    if (e.id != e.array) one(e.id);
  }
  void operator()(const TasksCancelled& e) const { one(e.array); }
  void operator()(const PendingJobsEnded& e) const {
    for (std::uint32_t id : e.jobs.ids()) one(JobId{id});
  }
  void operator()(const JobStarted& e) const { one(e.job); }
  void operator()(const JobSuspended& e) const { one(e.job); }
  void operator()(const JobEnded& e) const { one(e.job); }
  void operator()(const JobRequeued& e) const { one(e.job); }
  template <class Other>
  void operator()(const Other&) const {}
};
template <class Act>
ForMoved(const Cluster&, Act) -> ForMoved<Act>;

// The run did not end by itself, nor because somebody wanted it to.
bool has_failed(const Job& before, JobState state) {
  if (state == JobState::node_fail || state == JobState::boot_fail) return true;
  return state == JobState::failed && before.run->ending;
}

bool was_made_to_end(JobState state) {
  return state == JobState::cancelled || state == JobState::preempted;
}

// What the event adds to the sums.
struct Sums {
  const Cluster& before;
  wire::JobCounts& counts;

  void operator()(const JobSubmitted& e) const { counts.submitted += waiting_in(e.job); }
  void operator()(const JobStarted&) const { ++counts.started; }
  void operator()(const TasksCancelled& e) const { counts.canceled += e.tasks.size(); }
  void operator()(const PendingJobsEnded& e) const {
    for (std::uint32_t id : e.jobs.ids()) counts.canceled += waiting_in(before.jobs.at(JobId{id}));
  }
  void operator()(const JobEnded& e) const {
    const Job& job = before.jobs.at(e.job);
    if (has_failed(job, e.state))
      ++counts.failed;
    else
      ++(was_made_to_end(e.state) ? counts.canceled : counts.completed);
  }
  template <class Other>
  void operator()(const Other&) const {}
};

}  // namespace

void JobCounter::make_anew(const Cluster& cluster) {
  counts_.pending = counts_.running = 0;
  for (std::uint32_t id : cluster.pending.ids())
    counts_.pending += waiting_in(cluster.jobs.at(JobId{id}));
  for (std::uint32_t id : cluster.active.ids())
    counts_.running += cluster.jobs.at(JobId{id}).state == JobState::running;
}

void JobCounter::before(const Cluster& cluster, const Event& event) {
  std::visit(Sums{cluster, counts_}, event);
  std::visit(ForMoved{cluster,
                      [&](const Job& job) {
                        counts_.pending -= waiting_in(job);
                        counts_.running -= job.state == JobState::running;
                      }},
             event);
}

void JobCounter::after(const Cluster& cluster, const Event& event) {
  std::visit(ForMoved{cluster,
                      [&](const Job& job) {
                        counts_.pending += waiting_in(job);
                        counts_.running += job.state == JobState::running;
                      }},
             event);
}

void JobCounter::reset() { counts_ = {.pending = counts_.pending, .running = counts_.running}; }

}  // namespace muster::controller
