// Run times, ends and names of jobs.
#include "model/job/job.h"

#include <fmt/format.h>

#include "base/text/duration.h"

namespace muster {

void ArrayExits::add(std::uint32_t wait_status) {
  const std::uint32_t code = wait_status >> 8 & 0xff;
  min_code = ended == 0 ? code : std::min(min_code, code);
  max_code = std::max(max_code, code);
  max_signal = std::max(max_signal, wait_status & 0x7f);
  ++ended;
}

JobRequest Job::request() const { return {*spec, own}; }

void Job::take_request(JobRequest request) {
  own = std::move(static_cast<JobOwn&>(request));
  spec = Cow<JobSpec>(std::move(static_cast<JobSpec&>(request)));
}

Time Job::end_limit() const {
  // A suspended job does not use up its time, so its limit is never reached.
  if (!is_set(run->started) || time_limit == kUnlimited || is_set(run->suspended_at))
    return Time::max();
  return run->started + time_limit + run->suspended_total + run->over_limit;
}

Time Job::over_since() const { return run->ending ? run->ending->since : run->ended; }

Millis Job::run_time(Time now) const {
  if (!is_set(run->started)) return Millis{0};
  Time until = is_set(over_since()) ? over_since() : now;
  Millis suspended = run->suspended_total;
  if (is_set(run->suspended_at) && until > run->suspended_at)
    suspended += until - run->suspended_at;
  return std::max(until - run->started - suspended, Millis{0});
}

Time Job::preempt_time() const { return run->preemption ? run->preemption->since : Time{}; }

IdSet Job::het_jobs() const {
  if (!is_het()) return {};
  return IdSet::range(het_id.value, het_id.value + het_size - 1);
}

std::string job_name(const Job& job) {
  if (job.is_het()) return fmt::format("{}+{}", job.het_id.value, job.het_offset);
  if (job.last_task() != kNoTask) return fmt::format("{}_{}", job.array_id.value, job.last_task());
  if (job.is_array_record()) {
    std::string limit = job.task_limit > 0 ? fmt::format("%{}", job.task_limit) : "";
    return fmt::format("{}_[{}{}]", job.array_id.value, job.waiting_tasks.text(), limit);
  }
  if (job.task_id != kNoTask) return fmt::format("{}_{}", job.array_id.value, job.task_id);
  return std::to_string(job.id.value);
}

}  // namespace muster
