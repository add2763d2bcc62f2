// Compares the run times of jobs with their limits.
#include "sim/run_times.h"

#include <fmt/format.h>

namespace muster::sim {

std::vector<std::string> RunTimes::check(const Event& event, const Cluster& cluster, Time now) {
  constexpr Seconds kLate{120};  // the controller may sleep when the time is up
  if (auto* started = std::get_if<JobStarted>(&event)) run_since_[started->job] = now;
  auto* ends = std::get_if<JobsEnding>(&event);
  if (!ends) return {};
  std::vector<std::string> broken;
  if (ends->ending.becomes == JobState::node_fail)
    broken.push_back(fmt::format("job {} lost a node that was there", ends->jobs.text()));
  if (ends->ending.becomes != JobState::timeout) return broken;
  for (std::uint32_t id : ends->jobs.ids()) {
    const Job& job = cluster.jobs.at(JobId{id});
    // Its time stood still, or another component's time was up.
    if (job.run->suspended_total != Millis{0} || job.is_het()) continue;
    ++timeouts_;
    const Millis ran = now - run_since_[JobId{id}];
    if (ran + Seconds{1} < job.time_limit || ran > job.time_limit + kLate)
      broken.push_back(
          fmt::format("job {} ran {} s of {} min", id, ran.count() / 1000, job.time_limit.count()));
  }
  return broken;
}

}  // namespace muster::sim
