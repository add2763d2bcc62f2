// What processes of a job ask for through their node: more time before a stop, and to be requeued.
#include <fmt/format.h>

#include <algorithm>

#include "controller/jobs/ending.h"
#include "controller/jobs/notices.h"

namespace muster::controller {

namespace {

// More time in the stage that the job is in. All components of a heterogeneous job get it.
Result<Seconds> extend_grace(Ledger& ledger, const Job& job, Seconds by) {
  if (by <= Seconds{0}) return fail("say by how many seconds");
  const Seconds most = ledger.settings().max_grace_extension;
  if (most == Seconds{0}) return fail("this site gives no more time (MaxGraceExtension)");
  const auto notice = stop_notice(ledger.cluster(), job, ledger.now());
  if (!notice || !notice->has_deadline) return fail("nobody is about to stop this job");
  if (notice->left == Millis{0}) return fail("too late: the time is over");
  if (notice->may_extend == Seconds{0})
    return fail(fmt::format("the job has had all of the {} s that this site gives", most.count()));
  const Seconds granted = std::min(by, notice->may_extend);
  std::vector<JobId> ids;
  for (const Job* component : ledger.cluster().components(job))
    if (is_active(component->state)) ids.push_back(component->id);
  for (JobId id : ids) {
    ledger.record(GraceExtended{.job = id, .by = granted});
    tell_stop(ledger, ledger.job(id));
  }
  return granted;
}

Result<void> requeue_itself(Ledger& ledger, const Job& job) {
  const Time now = ledger.now();
  if (job.spec->kind != JobKind::batch) return fail("only jobs of sbatch can be requeued");
  if (!may_requeue(ledger.cluster(), job))
    return fail("this job may not be requeued (--no-requeue, or JobRequeue=0 in slurm.conf)");
  const JobId id = job.id;
  if (job.run->ending) {
    Ending ending = *job.run->ending;
    if (ending.requeue) return {};
    if (ending.becomes == JobState::cancelled) return fail("somebody has cancelled this job");
    if (ending.becomes == JobState::timeout && job.spec->chunk > Minutes{0} && is_last_piece(job))
      return fail(fmt::format("this was the last of {} pieces", job.spec->chunk_max));
    ending.requeue = true;
    if (job.restarts > 0) ending.delay = std::max(ending.delay, pause_before_next_run(job, now));
    order_end(ledger, id, ending, Reach::all_components);
    tell_stop(ledger, ledger.job(id));
    return {};
  }
  if (job.run->preemption) {
    if (job.run->preemption->mode == PreemptMode::requeue) return {};
    Preemption preemption = *job.run->preemption;
    preemption.mode = PreemptMode::requeue;
    ledger.record(JobPreempted{.job = id, .preemption = preemption});
    tell_stop(ledger, ledger.job(id));
    return {};
  }
  Ending ending{.becomes = JobState::cancelled,
                .by = job.spec->uid,
                .since = now,
                .requeue = true,
                .from_inside = true};
  const bool ends_piece = job.spec->chunk > Minutes{0} && is_set(job.run->noticed);
  if (ends_piece && is_last_piece(job))
    return fail(fmt::format("this was the last of {} pieces", job.spec->chunk_max));
  if (ends_piece) ending.again = Again::piece;
  // Perhaps a job that requeues itself again and again.
  if (job.restarts > 0) ending.delay = pause_before_next_run(job, now);
  order_end(ledger, id, ending, Reach::all_components);
  advance_endings(ledger, id);
  return {};
}

}  // namespace

void on_job_ask(Ledger& ledger, NodeId node, const wire::JobAskReport& report) {
  wire::JobAnswerOrder answer{.ask = report.ask};
  const Job* job = ledger.cluster().jobs.find(report.job);
  const bool runs_there = job && job->attempt == report.attempt && is_active(job->state) &&
                          job->run->unfinished.contains(node);
  if (!runs_there) {
    answer.refusal = "the job does not run any more";
  } else if (report.what == JobAsk::extend_grace) {
    const Result<Seconds> granted = extend_grace(ledger, *job, report.by);
    if (granted)
      answer.granted = *granted;
    else
      answer.refusal = granted.error().text();
  } else {
    const Job& leader = *ledger.cluster().components(*job).front();
    if (auto done = requeue_itself(ledger, leader); !done) answer.refusal = done.error().text();
  }
  ledger.order(node, answer);
}

}  // namespace muster::controller
