// See site_accounts.h.
#include "slurmctld/site_accounts.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/text/hostlist.h"
#include "base/text/strings.h"
#include "io/log.h"
#include "sched/priority/usage.h"
#include "slurmctld/service.h"

namespace muster::daemon {

namespace {

constexpr std::size_t kMostJobsNamed = 20;
constexpr std::uint32_t kRpcOfSlurm2205 = 9728;

}  // namespace

SiteAccounts::SiteAccounts(std::unique_ptr<AccountsStore> store, Published published)
    : store_(std::move(store)), published_(std::move(published)) {
  if (store_) service_.emplace(*store_, static_cast<accounts::Surroundings&>(*this));
}

Result<AccountsNews> SiteAccounts::start(const accounts::Registration& registration, Time now) {
  own_cluster_ = registration.cluster.name;
  if (auto ok = service_->load(); !ok) return std::unexpected(ok.error());
  if (auto ok = service_->enter(registration, now); !ok) return std::unexpected(ok.error());
  thread_ = std::make_unique<io::Worker>("accounts");
  return service_->all_news();
}

void SiteAccounts::stop() {
  if (thread_) thread_->stop();
}

accounts::Answer SiteAccounts::answer(const Text& user, bool is_slurm_user,
                                      const wire::AccountsRequest& request, Time now) {
  const PrivateData hidden = published_()->cluster.settings().private_data;
  return service_->answer(accounts::actor_of(service_->site(), user, is_slurm_user), hidden,
                          request, now);
}

void SiteAccounts::follow(accounts::Registration registration, Time now,
                          std::function<void(AccountsNews)> then) {
  if (!exist()) return;
  post([this, registration = std::move(registration), now, then = std::move(then)] {
    auto news = service_->enter(registration, now);
    if (!news) return io::log_error("accounts wait: {}", news.error().text());
    then(*std::move(news));
  });
}

std::vector<JobId> SiteAccounts::jobs_in(const Text& cluster,
                                         const std::set<AssociationKey>& associations) {
  std::vector<JobId> found;
  if (cluster != own_cluster_) return found;
  const auto published = published_();
  const Cluster& state = published->cluster;
  auto look_at = [&](std::uint32_t id) {
    const Job& job = state.jobs.at(JobId{id});
    if (found.size() < kMostJobsNamed && !is_ended(job.state) &&
        associations.contains(sched::association_of(state, job)))
      found.push_back(job.id);
  };
  state.pending.each(look_at);
  state.active.each(look_at);
  return found;
}

std::string SiteAccounts::needs_cluster(const Text& cluster) {
  return cluster == own_cluster_ ? "this is the cluster of the controller that keeps the accounts"
                                 : "";
}

accounts::Registration registration_of(const config::SlurmConf& conf, const ClusterConfig& cluster,
                                       const std::string& host) {
  accounts::Registration registration{.cluster = {.name = lower(conf.cluster_name),
                                                  .control_host = host,
                                                  .control_port = conf.slurmctld_port,
                                                  .rpc_version = kRpcOfSlurm2205},
                                      .qos = {},
                                      .tres = {}};
  std::uint64_t cpus = 0, memory_mib = 0;
  std::vector<std::string> names;
  for (const NodeConfig& node : cluster.nodes) {
    names.push_back(node.name.str());
    cpus += node.cpus;
    memory_mib += node.memory_mib;
  }
  registration.cluster.nodes = compress_hostlist(names);
  registration.cluster.tres = {
      {"billing", cpus}, {"cpu", cpus}, {"mem", memory_mib}, {"node", names.size()}};
  for (std::size_t i = 0; i < conf.qos.size(); ++i) {
    const config::Location& at = conf.qos_places[i];
    const auto file = std::filesystem::path(at.file).filename().string();
    registration.qos.emplace_back(conf.qos[i], fmt::format("{}:{}", file, at.line));
  }
  const std::string counted = conf.value("AccountingStorageTRES");
  for (std::string_view tres : split(counted, ',')) {
    tres = trim(tres);
    const auto slash = tres.find('/');
    if (slash == tres.npos) continue;  // cpu and the like are there
    registration.tres.emplace_back(tres.substr(0, slash), tres.substr(slash + 1));
  }
  return registration;
}

}  // namespace muster::daemon
