// SiteAccounts: the site's accounts where no slurmdbd keeps them: in slurmctld, on a thread of
// their own. The controller's core is told of each change before whoever asked for it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "accounts/service.h"
#include "config/slurm_conf.h"
#include "controller/views/query.h"
#include "io/loop/worker.h"
#include "model/accounts/accounts_news.h"
#include "state/accounts_store.h"

namespace muster::daemon {

class SiteAccounts final : private accounts::Surroundings {
 public:
  using Published = std::function<std::shared_ptr<const controller::Published>()>;

  // `published`: the state to look for jobs in, on any thread. Without a store there are no
  // accounts.
  SiteAccounts(std::unique_ptr<AccountsStore> store, Published published);

  bool exist() const { return store_ != nullptr; }
  // Reads the store and enters the cluster; what the core has to know. Before anybody asks.
  Result<AccountsNews> start(const accounts::Registration& registration, Time now);
  void stop();

  // Enters the cluster as it is configured now. `then` is called on the accounts' thread with what
  // the core has to know.
  void follow(accounts::Registration registration, Time now,
              std::function<void(AccountsNews)> then);

  // On the accounts' thread; so is the function below.
  void post(std::function<void()> work) { thread_->post(std::move(work)); }
  accounts::Answer answer(const Text& user, bool is_slurm_user,
                          const wire::AccountsRequest& request, Time now);

 private:
  std::vector<JobId> jobs_in(const Text& cluster,
                             const std::set<AssociationKey>& associations) override;
  std::string needs_cluster(const Text& cluster) override;

  std::unique_ptr<AccountsStore> store_;
  Published published_;
  Text own_cluster_;
  std::optional<accounts::Service> service_;  // where there is a store
  std::unique_ptr<io::Worker> thread_;        // last: it uses what is above
};

// What the configuration says of the cluster.
accounts::Registration registration_of(const config::SlurmConf& conf, const ClusterConfig& cluster,
                                       const std::string& host);

}  // namespace muster::daemon
