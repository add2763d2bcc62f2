// Start and reconfiguration: loads the stored state, applies the configuration, begins a new epoch.
#include <fmt/format.h>

#include <algorithm>

#include "controller/accounts/follow.h"
#include "controller/core.h"
#include "controller/nodes/dynamic_node.h"

namespace muster::controller {
namespace {

// Nodes obey no controller with a lower epoch than they have seen. So that they obey one whose
// state was cleared, or restored from a backup, too, an epoch is never below the time of its start.
Epoch epoch_after(Epoch last, Time now) {
  const auto seconds = static_cast<std::uint64_t>(std::max<std::int64_t>(unix_seconds(now), 0));
  return Epoch{std::max(last.value + 1, seconds)};
}

}  // namespace

Result<void> Core::recover(StoredState stored, const ClusterConfig& file, Time now,
                           BatchNumber accounted) {
  ledger_.set_now(now);
  if (auto ok = ledger_.recover(stored, accounted); !ok) return ok;
  statistics_.begin();
  const Cluster& cluster = ledger_.cluster();
  const ClusterConfig config = with_dynamic_nodes(cluster, file);
  if (auto ok = can_reconfigure(config); !ok) return ok;
  ledger_.record(EpochStarted{epoch_after(cluster.epoch, now)});
  if (*cluster.config != config) ledger_.record(ConfigLoaded{Cow(config)});
  reset_usage_if_told(ledger_);
  cluster.nodes.each([&](const Node& node) { links_.note_heard(node.id); });
  for (std::uint32_t id : cluster.active.ids()) {
    const Job& job = ledger_.job(JobId{id});
    if (job.run->preparing && !job.run->ending && ledger_.settings().programs.prolog_slurmctld)
      programs_.start_prolog(job);
  }
  if (auto ok = steps_.recover(); !ok) return ok;
  // An srun or salloc that still wants its job reconnects soon. One that was never answered does
  // not know the job, and nobody else would end it.
  cluster.jobs.each([&](const Job& job) {
    const bool is_owned = job.spec->kind == JobKind::allocation && !job.spec->outlives_command;
    if (is_owned && !is_ended(job.state) && job.het_offset == 0) allocations_.add_orphan(job.id);
  });
  run_owed_epilogs(ledger_);
  triggers_.recover();
  ledger_.want_plan();
  return {};
}

Result<void> Core::can_reconfigure(const ClusterConfig& config) const {
  std::set<Text> names;
  for (const NodeConfig& node : config.nodes) names.insert(node.name);
  std::optional<Error> error;
  ledger_.cluster().nodes.each([&](const Node& node) {
    if (!error && !node.config.dynamic && !names.contains(node.config.name) && !node.jobs.empty())
      error = Error{
          ErrorCode::config_invalid,
          fmt::format("node {} was removed from the configuration, but job {} still runs there",
                      node.config.name.view(), node.jobs.min())};
  });
  if (error) return std::unexpected(*error);
  return {};
}

void Core::reconfigure(const ClusterConfig& file, ReplyTo to, Time now) {
  ledger_.set_now(now);
  attempts_.all_or_nothing([&] {
    const ClusterConfig config = with_dynamic_nodes(ledger_.cluster(), file);
    if (auto ok = can_reconfigure(config); !ok) return ledger_.reply(to, ok.error());
    ledger_.record(ConfigLoaded{Cow(config)});
    reset_usage_if_told(ledger_);
    ledger_.reply(to, wire::Done{});
    ledger_.want_plan();
    links_.forget_nodes_gone_from_configuration();
    triggers_.pull(TriggerEvent::reconfigured);
  });
}

void Core::on_accounts(const AccountsNews& news, ReplyTo to, wire::Answer answer, Time now) {
  ledger_.set_now(now);
  follow_accounts(ledger_, news);
  if (to.connection != 0) ledger_.reply(to, std::move(answer));
}

}  // namespace muster::controller
