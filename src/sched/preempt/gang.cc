// Sorts the jobs that compete for CPUs, and lets them run as far as CPUs are free.
#include "sched/preempt/gang.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "sched/preempt/preempt.h"

namespace muster::sched {

namespace {

using Busy = std::map<NodeId, IdSet>;

bool is_contested(const Cluster& cluster, const Job& job) {
  return std::ranges::any_of(job.run->unfinished, [&](NodeId id) {
    const Node* node = cluster.nodes.find(id);
    return node && !node->shared_cpus.layers.empty();
  });
}

bool is_free(const Busy& busy, const Job& job) {
  return std::ranges::none_of(job.run->allocation, [&](const NodeShare& share) {
    auto at = busy.find(share.node);
    return at != busy.end() && at->second.intersects(share.cpus);
  });
}

void occupy(Busy& busy, const Job& job) {
  for (const NodeShare& share : job.run->allocation)
    if (job.run->unfinished.contains(share.node)) busy[share.node].merge(share.held_cpus());
}

// A job that competes for its CPUs. Higher rank comes first; among equals a job with some of its
// time slice left, then the one that has waited longest.
struct Contender {
  std::int64_t rank = 0;
  int kind = 0;
  Time since;
  const Job* job = nullptr;
  auto key() const { return std::tuple(-rank, kind, since, job->id); }
};

Contender contender_of(const Cluster& cluster, const Job& job, Time now) {
  enum { runs, waits, had_its_slice };
  Contender contender{.rank = preempt_rank(cluster, job), .job = &job};
  const Settings& s = cluster.settings();
  if (job.run->awaits_turn) {
    contender.kind = waits;
    contender.since = job.run->suspended_at;
  } else {
    bool over = s.preempt.gang && now - job.run->turn_since >= s.time_slice;
    contender.kind = over ? had_its_slice : runs;
    contender.since = job.run->turn_since;
  }
  return contender;
}

}  // namespace

Turns next_turns(const Cluster& cluster, Time now) {
  Turns turns;
  Busy busy;
  std::vector<Contender> contenders;
  for (std::uint32_t id : cluster.active.ids()) {
    const Job& job = cluster.jobs.at(JobId{id});
    bool takes_turns = !job.run->ending &&
                       (job.state == JobState::running || job.run->awaits_turn) &&
                       !is_ended(job.state);
    if (takes_turns && (job.run->awaits_turn || is_contested(cluster, job)))
      contenders.push_back(contender_of(cluster, job, now));
    else if (!job.run->awaits_turn)
      occupy(busy, job);  // a job that is ending keeps its CPUs
  }
  std::ranges::sort(contenders, {}, &Contender::key);
  const bool gang = cluster.settings().preempt.gang;
  if (!gang)
    for (const Contender& contender : contenders)
      if (!contender.job->run->awaits_turn) occupy(busy, *contender.job);
  for (const Contender& contender : contenders) {
    const Job& job = *contender.job;
    if (!gang && !job.run->awaits_turn) continue;
    const bool runs = is_free(busy, job);
    if (runs) occupy(busy, job);
    if (runs && job.run->awaits_turn) turns.resume.push_back(job.id);
    if (!runs && !job.run->awaits_turn) turns.suspend.push_back(job.id);
  }
  return turns;
}

}  // namespace muster::sched
