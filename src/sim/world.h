// World: the real controller core, scheduler and node logic on virtual time, with a network, a disk
// and machines that fail. Its checkers run all the time; the first violation becomes the verdict.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "controller/core.h"
#include "sim/fake_accounting.h"
#include "sim/fake_node.h"
#include "sim/fake_store.h"
#include "sim/schedule.h"

namespace muster::sim {

using SiteProgramKind = controller::SiteProgramRun::Which;

// Imitates broken parts, to prove that the checkers notice: each function may change data on its
// way.
struct Sabotage {
  std::function<void(Batch&)> disk;  // to the disk; the controller believes that it is written
  std::function<void(accounting::AccountingDelta&)> accounting;
  std::function<void(wire::OrderBatch&)> orders;
  std::function<void(wire::ReportBatch&)> reports;
};

struct WorldOptions {
  std::uint64_t seed = 1;
  std::uint32_t nodes = 4, cpus = 4;
  std::uint32_t jobs = 40;
  Seconds troubled{900};  // the time with faults; afterwards everything must come to rest
  Seconds rest{14'400};
  bool faults = true;
  // Instead of the other faults: clocks are set, links break, machines sleep.
  bool clock_faults = false;
  bool all_verbs = true;  // users send requests of all kinds, on a site that uses all features
  std::optional<BatchNumber> crash_at_batch;  // the controller crashes while it writes this batch
  Sabotage sabotage;
  bool is_rich() const { return all_verbs && !clock_faults; }
};

struct Verdict {
  std::vector<std::string> broken;  // empty = no violation
  BatchNumber batches = 0;
  std::uint32_t jobs_acknowledged = 0, starts = 0, crashes = 0, node_losses = 0,
                broken_connections = 0, clock_steps = 0, refusals = 0, timeouts = 0;
  std::map<std::string_view, std::uint32_t> granted, refused;  // requests by kind
  std::map<SiteProgramKind, std::uint32_t> programs;           // site programs that were run
  std::set<std::size_t> events;                                // the kinds that were recorded
  std::uint64_t fingerprint = 0;  // of everything that happened; equal for equal seeds
};

Verdict simulate(const WorldOptions& options);

}  // namespace muster::sim
