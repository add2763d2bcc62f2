// The policies to compare with: they treat CPUs as one pool, and jobs in the order of submission.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "sim/replay/replay.h"

namespace muster::sim {

// The CPUs that will be free, if all jobs run as long as their limits allow.
class FutureCpus {
 public:
  FutureCpus(Seconds now, std::int64_t free) : free_at_{{now, free}} {}
  void release(Seconds at, std::int64_t cpus) { change(at, cpus); }
  // The earliest time from `from` on at which this many CPUs are free for this long.
  Seconds earliest(Seconds from, Seconds length, std::int64_t cpus) const;
  void take(Seconds at, Seconds length, std::int64_t cpus);

 private:
  void change(Seconds from, std::int64_t cpus);

  std::map<Seconds, std::int64_t> free_at_;  // free from then until the next entry
};

class PoolPolicy : public Policy {
 public:
  PoolPolicy(const std::vector<TraceJob>& trace, const Machine& machine)
      : trace_(trace), free_(static_cast<std::int64_t>(machine.all_cpus())) {}
  void on_submitted(std::size_t job, Seconds now) override;
  void on_ended(std::size_t job, Seconds now) override;

 protected:
  bool fits(std::size_t job) const { return trace_[job].cpus <= free_; }
  void start(std::size_t job, Seconds now);
  // The jobs at the head of the queue that can start, up to the first that cannot.
  std::vector<std::size_t> start_in_order(Seconds now, std::size_t depth);
  FutureCpus future_cpus(Seconds now, Seconds resolution) const;

  const std::vector<TraceJob>& trace_;
  std::int64_t free_;
  std::deque<std::size_t> queue_;
  std::map<std::size_t, Seconds> leaves_at_;  // of running jobs, by their limits
  bool changed_ = false;                      // since the last look
};

class FifoPolicy final : public PoolPolicy {
 public:
  using PoolPolicy::PoolPolicy;
  std::vector<std::size_t> starts(Seconds now) override;
};

// EASY: only the first waiting job has a promised time, and others may overtake it if they keep to
// that promise.
class EasyPolicy final : public PoolPolicy {
 public:
  using PoolPolicy::PoolPolicy;
  std::vector<std::size_t> starts(Seconds now) override;
};

// The documented rules of Slurm's sched/backfill, with its defaults: jobs start in order whenever
// something happens; every bf_interval the first bf_max_job_test jobs are planned within bf_window,
// to bf_resolution, and those whose time has come start.
class BackfillPolicy final : public PoolPolicy {
 public:
  struct Options {
    std::size_t default_queue_depth = 100;
    Seconds bf_interval{30};
    std::size_t bf_max_job_test = 500;
    Seconds bf_window{1440 * 60};
    Seconds bf_resolution{60};
  };
  BackfillPolicy(const std::vector<TraceJob>& trace, const Machine& machine, Options options)
      : PoolPolicy(trace, machine), options_(options), last_pass_(-options.bf_interval) {}
  std::vector<std::size_t> starts(Seconds now) override;
  std::optional<Seconds> next_look() const override;

 private:
  void backfill(Seconds now, std::vector<std::size_t>& started);

  Options options_;
  Seconds last_pass_;
};

inline constexpr std::string_view kPolicies[] = {"muster", "backfill", "easy", "fifo"};

// nullptr for an unknown name.
std::unique_ptr<Policy> make_policy(std::string_view name, const std::vector<TraceJob>& trace,
                                    const Machine& machine);

}  // namespace muster::sim
