// Compares states, and describes events and jobs.
#include "sim/checks.h"

#include <fmt/format.h>

#include "base/codec/codec.h"
#include "state/apply.h"
#include "state/event.h"
#include "state/snapshot.h"

namespace muster::sim {

std::string kinds_of(const Batch& batch) {
  std::string kinds;
  for (const std::string& bytes : batch.events)
    if (auto entry = decode<EventEntry>(bytes))
      kinds.append(fmt::format(" {}", entry->event.index() + 1));
  return kinds;
}

namespace {

std::string why(const Job& job, const sched::Plan* plan) {
  if (job.state != JobState::pending) return job.completing() ? ", completing" : "";
  const auto wait = plan ? sched::find_wait(*plan, job.id) : std::nullopt;
  return fmt::format(
      " in {}, {}, {} {}", job.partitions.view(), job.hold == Hold::none ? "not held" : "held",
      wait ? sched::reason_name(wait->reason) : "no reason known", wait ? wait->detail.view() : "");
}

}  // namespace

std::vector<std::string> jobs_not_ended(const Cluster& cluster, const sched::Plan* plan) {
  std::vector<std::string> found;
  cluster.jobs.each([&](const Job& job) {
    if (!is_ended(job.state) || job.completing())
      found.push_back(fmt::format("job {} never ended: {}{}", job.id.value, state_name(job.state),
                                  why(job, plan)));
  });
  return found;
}

bool leads_to(const StoredState& stored, const Cluster& cluster) {
  Cluster replayed;
  if (stored.snapshot_number)
    if (auto snapshot = decode_snapshot(stored.snapshot)) replayed = std::move(*snapshot);
  for (const auto& entry : stored.journal)
    for (const std::string& event : entry.events)
      if (auto decoded = decode<EventEntry>(event)) muster::apply(replayed, decoded->event);
  return encode_snapshot(replayed) == encode_snapshot(cluster);
}

}  // namespace muster::sim
