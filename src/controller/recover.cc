// Start and reconfiguration: the stored state, the configuration in force, a new epoch.
#include <fmt/format.h>

#include "base/codec/codec.h"
#include "controller/core.h"
#include "controller/nodes/dynamic_node.h"
#include "state/apply.h"
#include "state/invariants.h"
#include "state/snapshot.h"

namespace muster::controller {

Result<void> Core::recover(StoredState stored, const ClusterConfig& file, Time now,
                           BatchNumber accounted) {
  now_ = now;
  if (stored.snapshot_number) {
    auto cluster = decode_snapshot(stored.snapshot);
    if (!cluster) return fail("the state snapshot cannot be read: " + cluster.error().text());
    cluster_ = std::move(*cluster);
  }
  BatchNumber last = stored.snapshot_number;
  const BatchNumber newest = stored.journal.empty() ? last : stored.journal.back().number;
  if (accounted > newest) accounted = 0;  // of a state that was erased since
  if (accounted < last) open_.changes.note_all(cluster_);
  SharedParts parts;
  for (const StoredState::Entry& entry : stored.journal) {
    if (entry.number != last + 1)
      return fail(fmt::format("the journal has a gap: batch {} follows {}", entry.number, last));
    last = entry.number;
    for (const std::string& bytes : entry.events) {
      auto event = decode<EventEntry>(bytes);
      if (!event)
        return fail(fmt::format(
            "batch {} of the journal holds an event that this version does not know", last));
      if (auto* submitted = std::get_if<JobSubmitted>(&event->event)) parts.share(submitted->job);
      if (last > accounted) open_.changes.note(cluster_, event->event);
      muster::apply(cluster_, event->event);
    }
  }
  open_.changes.note_waiting(cluster_);
  next_batch_ = last + 1;
  if (auto broken = broken_invariants(cluster_); !broken.empty())
    return fail("the stored state contradicts itself: " + broken.front());
  committed_ = cluster_;
  if (cluster_.settings().accounting && !open_.changes.empty())
    host_.account({std::exchange(open_.changes, {}), committed_, last});
  watch_list_.make_anew(cluster_);
  const ClusterConfig config = with_dynamic_nodes(cluster_, file);
  if (auto ok = can_reconfigure(config); !ok) return ok;
  record(EpochStarted{Epoch{cluster_.epoch.value + 1}});
  if (*cluster_.config != config) record(ConfigLoaded{Cow(config)});
  reset_usage_if_told(now);
  cluster_.nodes.each([&](const Node& node) { loads_[node.id].last_contact = now; });
  for (std::uint32_t id : cluster_.active.ids()) {
    const Job& job = cluster_.jobs.at(JobId{id});
    if (job.run->preparing && !job.run->ending && cluster_.settings().programs.prolog_slurmctld)
      run_program(SiteProgramRun::Which::prolog_slurmctld, job);
  }
  if (auto ok = recover_queued_steps(); !ok) return ok;
  // An srun that still wants its job comes back for it soon. One that was never answered does not
  // know of it, and nobody else would end it. (salloc may have left its job to itself.)
  cluster_.jobs.each([&](const Job& job) {
    if (job.spec->for_own_step && !is_ended(job.state) && job.het_offset == 0)
      orphans_[job.id] = now;
  });
  run_owed_epilogs();
  want_plan();
  return {};
}

Result<void> Core::can_reconfigure(const ClusterConfig& config) const {
  std::set<Text> names;
  for (const NodeConfig& node : config.nodes) names.insert(node.name);
  std::optional<Error> error;
  cluster_.nodes.each([&](const Node& node) {
    if (!error && !node.config.dynamic && !names.contains(node.config.name) && !node.jobs.empty())
      error =
          Error{ErrorCode::config_invalid,
                fmt::format("node {} is gone from the configuration but job {} still runs there",
                            node.config.name.view(), node.jobs.min())};
  });
  if (error) return std::unexpected(*error);
  return {};
}

void Core::reconfigure(const ClusterConfig& file, ReplyTo to, Time now) {
  now_ = now;
  const ClusterConfig config = with_dynamic_nodes(cluster_, file);
  if (auto ok = can_reconfigure(config); !ok) return answer(to, ok.error());
  record(ConfigLoaded{Cow(config)});
  reset_usage_if_told(now);
  std::erase_if(sessions_,
                [&](const auto& entry) { return !cluster_.nodes.contains(entry.first); });
  want_plan();
  answer(to, wire::Done{});
}

}  // namespace muster::controller
