// scontrol update, create and delete partition.
#include "controller/update/update.h"

#include <algorithm>

#include "base/text/strings.h"
#include "controller/update/partition_keys.h"
#include "controller/update/settings_list.h"

namespace muster::controller {

namespace {

Partition new_partition(const Settings& settings, std::string_view name) {
  Partition partition{.name = Text(name), .min_nodes = 1};
  partition.disable_root_jobs = settings.disable_root_jobs;
  return partition;
}

}  // namespace

wire::Answer update_partition(Ledger& ledger, const wire::UpdateRequest& request) {
  const Time now = ledger.now();
  (void)now;
  auto name = find_setting(request.settings, {"PartitionName", "Partition"});
  const Partition* known = name ? ledger.cluster().find_partition(*name) : nullptr;
  if (!name || (!known && !request.create)) return Error{ErrorCode::invalid_partition, {}};
  if (known && request.create) return Error{ErrorCode::invalid_partition, {}};
  if (request.remove) {
    bool used = false;
    ledger.cluster().jobs.each([&](const Job& job) {
      used = used || (!is_ended(job.state) && has_name(job.partitions, *name));
    });
    if (used) return Error{ErrorCode::partition_in_use, {}};
    ledger.record(PartitionChanged{.partition = *known, .removed = true});
    return wire::Done{};
  }
  PartitionDraft draft{ledger.cluster(), known ? *known : new_partition(ledger.settings(), *name)};
  for (const auto& [key, value] : request.settings) {
    if (iequals(key, "PartitionName") || iequals(key, "Partition")) continue;
    if (auto ok = set_partition_key(draft, key, value); !ok) return ok.error();
  }
  ledger.record(PartitionChanged{.partition = std::move(draft.partition)});
  ledger.want_plan();
  return wire::Done{};
}

}  // namespace muster::controller
