// The loop of a replay: jobs arrive, start and end, and waiting times are summed up.
#include "sim/replay/replay.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>

#include "base/check.h"

namespace muster::sim {

namespace {

constexpr Seconds kNever{std::numeric_limits<std::int64_t>::max()};
constexpr double kShortestCounted = 10;

class Run {
 public:
  Run(const std::vector<TraceJob>& trace, const Machine& machine, Policy& policy)
      : trace_(trace), policy_(policy), free_(machine.all_cpus()), waits_(trace.size()) {}

  std::vector<Seconds> waits() {
    while (next_ < trace_.size() || !running_.empty()) {
      const Seconds now = next_time();
      CHECK(now != kNever, "jobs wait, but nothing will start them");
      end_jobs(now);
      for (; next_ < trace_.size() && trace_[next_].submitted <= now; ++next_)
        policy_.on_submitted(next_, now);
      for (std::size_t job : policy_.starts(now)) start(job, now);
    }
    CHECK(started_ == trace_.size(), "some jobs were never started");
    return std::move(waits_);
  }

 private:
  Seconds next_time() const {
    Seconds at = kNever;
    if (next_ < trace_.size()) at = trace_[next_].submitted;
    if (!running_.empty()) at = std::min(at, running_.top().first);
    if (started_ < next_)
      if (auto look = policy_.next_look()) at = std::min(at, *look);
    return at;
  }
  void end_jobs(Seconds now) {
    while (!running_.empty() && running_.top().first <= now) {
      const std::size_t job = running_.top().second;
      running_.pop();
      free_ += trace_[job].cpus;
      policy_.on_ended(job, now);
    }
  }
  void start(std::size_t job, Seconds now) {
    CHECK(free_ >= trace_[job].cpus, "more CPUs were allocated than there are");
    free_ -= trace_[job].cpus;
    waits_[job] = now - trace_[job].submitted;
    running_.emplace(now + std::max(trace_[job].runs, Seconds{1}), job);
    ++started_;
  }

  const std::vector<TraceJob>& trace_;
  Policy& policy_;
  std::uint64_t free_;
  std::vector<Seconds> waits_;
  std::size_t next_ = 0, started_ = 0;
  using End = std::pair<Seconds, std::size_t>;
  std::priority_queue<End, std::vector<End>, std::greater<>> running_;
};

double quantile(const std::vector<double>& sorted, double part) {
  if (sorted.empty()) return 0;
  const auto rank = static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1) + 0.5);
  return sorted[rank];
}

}  // namespace

std::vector<TraceJob> fitting(std::vector<TraceJob> trace, const Machine& machine,
                              std::size_t& too_large) {
  too_large = std::erase_if(trace, [&](const TraceJob& j) { return j.cpus > machine.all_cpus(); });
  return trace;
}

std::vector<Seconds> replay(const std::vector<TraceJob>& trace, const Machine& machine,
                            Policy& policy) {
  return Run(trace, machine, policy).waits();
}

Report report_on(const std::vector<TraceJob>& trace, const std::vector<Seconds>& waits,
                 const Machine& machine) {
  Report report{.jobs = trace.size()};
  if (trace.empty()) return report;
  std::vector<double> sorted;
  double slowdown = 0, work = 0, last = 0;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const auto wait = static_cast<double>(waits[i].count());
    const auto runs = static_cast<double>(trace[i].runs.count());
    sorted.push_back(wait);
    slowdown += std::max(1.0, (wait + runs) / std::max(runs, kShortestCounted));
    work += runs * trace[i].cpus;
    last = std::max(last, static_cast<double>(trace[i].submitted.count()) + wait + runs);
  }
  std::ranges::sort(sorted);
  const auto jobs = static_cast<double>(trace.size());
  report.mean_wait = std::accumulate(sorted.begin(), sorted.end(), 0.0) / jobs;
  report.median_wait = quantile(sorted, 0.5);
  report.p95_wait = quantile(sorted, 0.95);
  report.mean_slowdown = slowdown / jobs;
  report.makespan = last - static_cast<double>(trace.front().submitted.count());
  report.utilisation = work / (static_cast<double>(machine.all_cpus()) * report.makespan);
  return report;
}

}  // namespace muster::sim
