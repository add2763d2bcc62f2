// show configuration: what of slurm.conf is about accounting.
#include <algorithm>

#include <fmt/format.h>

#include "base/text/date.h"
#include "cli/sacctmgr/session.h"

namespace muster::cli {

namespace {

constexpr std::string_view kShown[] = {"AccountingStorageBackupHost",
                                       "AccountingStorageEnforce",
                                       "AccountingStorageHost",
                                       "AccountingStorageParameters",
                                       "AccountingStoragePort",
                                       "AccountingStorageTRES",
                                       "AccountingStorageType",
                                       "AccountingStorageUser",
                                       "AuthType",
                                       "ClusterName",
                                       "MessageTimeout",
                                       "PluginDir",
                                       "PrivateData",
                                       "SlurmUser",
                                       "SLURM_CONF",
                                       "SLURM_VERSION",
                                       "TCPTimeout",
                                       "TrackWCKey"};

}  // namespace

void show_configuration(SiteSession& session) {
  auto reply = session.ask_slurmctld_for<wire::ConfigReply>(wire::ConfigRequest{});
  if (!reply) return session.fail(fmt::format("sacctmgr: error: {}\n", reply.error().text()));
  fmt::print("Configuration data as of {}\n", format_date(clock_time()));
  for (const auto& [name, value] : reply->settings)
    if (std::ranges::find(kShown, name) != std::end(kShown))
      fmt::print("{:<22} = {}\n", name, value);
}

}  // namespace muster::cli
