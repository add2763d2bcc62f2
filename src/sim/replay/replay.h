// replay: how the jobs of a trace fare under a policy, on virtual time.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/replay/swf.h"

namespace muster::sim {

struct Machine {
  std::uint32_t nodes = 1, cpus = 1;  // cpus: per node
  std::uint64_t all_cpus() const { return std::uint64_t{nodes} * cpus; }
};

// Decides which jobs start. Jobs are identified by their index in the trace; times count from its
// beginning.
class Policy {
 public:
  virtual ~Policy() = default;
  virtual void on_submitted(std::size_t job, Seconds now) = 0;
  virtual void on_ended(std::size_t job, Seconds now) = 0;
  // The jobs to start now. Called whenever something happened, and at the times that next_look()
  // names.
  virtual std::vector<std::size_t> starts(Seconds now) = 0;
  virtual std::optional<Seconds> next_look() const { return std::nullopt; }
};

struct Report {
  std::size_t jobs = 0;
  std::size_t too_large = 0;                            // for the machine: these are left out
  double mean_wait = 0, median_wait = 0, p95_wait = 0;  // seconds
  double mean_slowdown = 0;  // bounded: jobs shorter than ten seconds count as ten seconds
  double utilisation = 0;    // of all CPUs, until the last job has ended
  double makespan = 0;       // seconds
};

// The jobs that fit the machine; the others are counted in `too_large`.
std::vector<TraceJob> fitting(std::vector<TraceJob> trace, const Machine& machine,
                              std::size_t& too_large);

// How long each job waits. CHECKs that the policy never uses more CPUs than there are.
std::vector<Seconds> replay(const std::vector<TraceJob>& trace, const Machine& machine,
                            Policy& policy);
Report report_on(const std::vector<TraceJob>& trace, const std::vector<Seconds>& waits,
                 const Machine& machine);

}  // namespace muster::sim
