// World: the real controller core, scheduler and node logic on virtual time, with a network, a disk
// and machines that fail. Its checkers run all along; the first thing that must not be is its
// verdict.
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

// What a broken part would do, to prove that the checkers notice: each may change what passes by.
struct Sabotage {
  std::function<void(Batch&)> disk;  // on its way to the disk; the controller thinks it is there
  std::function<void(accounting::AccountingDelta&)> accounting;
  std::function<void(wire::OrderBatch&)> orders;
  std::function<void(wire::ReportBatch&)> reports;
};

struct WorldOptions {
  std::uint64_t seed = 1;
  std::uint32_t nodes = 4, cpus = 4;
  std::uint32_t jobs = 40;
  Seconds troubled{900};  // for this long things break; then they must come to rest
  Seconds rest{14'400};
  bool faults = true;
  bool clock_faults = false;  // in place of the others: clocks are set, links break, machines sleep
  bool all_verbs = true;      // users ask for everything that there is, of a site that has it all
  std::optional<BatchNumber> crash_at_batch;  // the controller dies as this batch is being written
  Sabotage sabotage;
  bool is_rich() const { return all_verbs && !clock_faults; }
};

struct Verdict {
  std::vector<std::string> broken;  // empty = all is well
  BatchNumber batches = 0;
  std::uint32_t jobs_acknowledged = 0, starts = 0, crashes = 0, node_losses = 0,
                broken_connections = 0, clock_steps = 0, refusals = 0, timeouts = 0;
  std::map<std::string_view, std::uint32_t> granted, refused;  // requests, by verb
  std::map<SiteProgramKind, std::uint32_t> programs;           // of the site, that were run
  std::set<std::size_t> events;                                // the kinds that were recorded
  std::uint64_t fingerprint = 0;  // of everything that happened: equal for equal seeds
};

Verdict simulate(const WorldOptions& options);

}  // namespace muster::sim
