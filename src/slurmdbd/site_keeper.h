// SiteKeeper: the accounts of all clusters, on a thread of their own. Controllers that are
// connected hear of a change before whoever asked for it; the others hear all when they come.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "accounts/service.h"
#include "io/loop/worker.h"
#include "slurmdbd/controllers.h"
#include "slurmdbd/store/sql_accounting.h"
#include "slurmdbd/store/sql_accounts.h"

namespace muster::dbd {

class SiteKeeper final : private accounts::Surroundings {
 public:
  SiteKeeper(SqlAccounts& store, SqlAccounting& records, Controllers& controllers)
      : store_(store),
        records_(records),
        controllers_(controllers),
        service_(store, static_cast<accounts::Surroundings&>(*this)) {}

  Result<void> load() { return service_.load(); }  // before start()
  void start() { thread_ = std::make_unique<io::Worker>("accounts"); }
  void stop() {
    if (thread_) thread_->stop();
  }
  void post(std::function<void()> work) { thread_->post(std::move(work)); }

  // --- on its thread ---
  accounts::Answer answer(const Text& user, bool is_slurm_user, const PrivateData& hidden,
                          const wire::AccountsRequest& request, Time now);
  // The cluster is entered, and its controller is told everything.
  Result<void> enter(io::ConnectionId id, Feed feed, const wire::RegisterCluster& report, Time now);
  void heard(const Text& cluster, std::uint64_t version);
  AdminLevel level_of(const Text& user) const;
  std::vector<Text> clusters() const { return accounts::cluster_names(service_.site()); }

 private:
  std::vector<JobId> jobs_in(const Text& cluster,
                             const std::set<AssociationKey>& associations) override;
  std::string needs_cluster(const Text& cluster) override;
  void catch_up();
  void hide_absent(std::vector<wire::AccountsRow>& rows) const;

  SqlAccounts& store_;
  SqlAccounting& records_;
  Controllers& controllers_;
  accounts::Service service_;
  std::unique_ptr<io::Worker> thread_;  // last: it uses what is above
};

// How long answers wait for controllers that have records on their way.
inline constexpr Millis kFlushPatience{3000};
// How long a change waits for controllers to follow it.
inline constexpr Millis kNewsPatience{1000};

}  // namespace muster::dbd
