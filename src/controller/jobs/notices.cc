// Decides what jobs are told, and when.
#include "controller/jobs/notices.h"

#include <algorithm>
#include <csignal>

namespace muster::controller {

namespace {

Seconds notice_time(const JobSpec& spec) {
  if (spec.notice_s) return Seconds{*spec.notice_s};
  // A piece ends after a notice, even if nobody has asked for one.
  return Seconds{spec.warn_signal.number ? spec.warn_signal.seconds_before_end
                                         : WarnSignal{}.seconds_before_end};
}

bool wants_notices(const JobSpec& spec) { return spec.notice_s || spec.chunk > Minutes{0}; }

bool is_drained(const Cluster& cluster, const Job& job) {
  return std::ranges::any_of(job.run->unfinished, [&](NodeId id) {
    const Node* node = cluster.nodes.find(id);
    return node && node->drain;
  });
}

}  // namespace

void tell_stop(Ledger& ledger, const Job& job, NodeId node) {
  const auto notice = stop_notice(ledger.cluster(), job, ledger.now());
  ledger.order(node, wire::StopNoticeOrder{.job = job.id,
                                           .attempt = job.attempt,
                                           .notice = notice.value_or(StopNotice{}),
                                           .extends = job.run->ending.has_value()});
}

void tell_stop(Ledger& ledger, const Job& job) {
  for (NodeId node : job.run->unfinished) tell_stop(ledger, job, node);
}

void give_notices(Ledger& ledger) {
  const Time now = ledger.now();
  const Cluster& cluster = ledger.cluster();
  std::vector<JobNoticed> news;
  for (std::uint32_t id : cluster.active.ids()) {
    const Job& job = ledger.job(JobId{id});
    if (!wants_notices(*job.spec) || job.state != JobState::running) continue;
    const Run& run = *job.run;
    if (run.ending || run.preemption) continue;
    const bool near = is_near_limit(job, notice_time(*job.spec), now);
    const bool drained = is_drained(cluster, job);
    if (near == is_set(run.noticed) && drained == is_set(run.drain_noticed)) continue;
    news.push_back({.job = job.id,
                    .limit = !near                 ? Time{}
                             : is_set(run.noticed) ? run.noticed
                                                   : now,
                    .drain = !drained                    ? Time{}
                             : is_set(run.drain_noticed) ? run.drain_noticed
                                                         : now});
  }
  for (const JobNoticed& each : news) {
    ledger.record(each);
    tell_stop(ledger, ledger.job(each.job));
  }
}

}  // namespace muster::controller
