// See site_keeper.h.
#include "slurmdbd/site_keeper.h"

#include <fmt/format.h>

#include "base/text/strings.h"
#include "io/log.h"

namespace muster::dbd {

namespace {

constexpr std::size_t kMostJobsNamed = 20;

bool is_in(const std::set<AssociationKey>& associations, const JobRecord& job) {
  return std::ranges::any_of(associations, [&](const AssociationKey& key) {
    return iequals(key.account, job.account) &&
           (key.user.empty() || iequals(key.user, job.user_name)) &&
           (key.partition.empty() || iequals(key.partition, job.partition));
  });
}

}  // namespace

// After a change whose fate is unknown, the database says what is so.
void SiteKeeper::catch_up() {
  if (!store_.is_behind()) return;
  if (auto ok = service_.load(); !ok) {
    io::log_error("accounts cannot be read again: {}", ok.error().text());
    return;
  }
  io::log_info("accounts were read again from the database");
  controllers_.tell(service_.all_news());
}

accounts::Answer SiteKeeper::answer(const Text& user, bool is_slurm_user, const PrivateData& hidden,
                                    const wire::AccountsRequest& request, Time now) {
  catch_up();
  const accounts::Actor actor = accounts::actor_of(service_.site(), user, is_slurm_user);
  accounts::Answer answer = service_.answer(actor, hidden, request, now);
  if (!answer.news.empty()) {
    controllers_.tell(answer.news);
    // They hear the news before the question: whoever asked for the change finds it in force.
    (void)controllers_.flush(clusters(), kNewsPatience);
  }
  hide_absent(answer.reply.rows);
  return answer;
}

// As in Slurm: a cluster has a host as long as its controller is there.
void SiteKeeper::hide_absent(std::vector<wire::AccountsRow>& rows) const {
  for (wire::AccountsRow& row : rows) {
    auto* cluster = std::get_if<wire::ClusterShown>(&row);
    if (!cluster || controllers_.has(cluster->row.name)) continue;
    cluster->row.control_host = {};
    cluster->row.control_port = 0;
  }
}

Result<void> SiteKeeper::enter(io::ConnectionId id, Feed feed, const wire::RegisterCluster& report,
                               Time now) {
  catch_up();
  auto news = service_.enter({.cluster = report.cluster, .qos = {}, .tres = report.tres}, now);
  if (!news) return std::unexpected(news.error());
  controllers_.tell(*news);
  // While the database is away, the controller hears at least what is known.
  auto resets = store_.resets_of(feed.cluster);
  const Text cluster = feed.cluster;
  AccountsNews all = service_.all_news();
  if (resets) all.resets = std::move(*resets);
  controllers_.enter(id, std::move(feed));
  controllers_.tell(id, cluster, all);
  if (!resets) return std::unexpected(resets.error());
  return {};
}

void SiteKeeper::heard(const Text& cluster, std::uint64_t version) {
  if (auto ok = store_.drop_resets(cluster, version); !ok)
    io::log_error("cluster {}: {}", cluster.view(), ok.error().text());
}

AdminLevel SiteKeeper::level_of(const Text& user) const {
  const UserRow* row = accounts::find_user(service_.site(), user);
  return row ? row->admin_level : AdminLevel::none;
}

// The database knows them, once their controller has sent what it has.
std::vector<JobId> SiteKeeper::jobs_in(const Text& cluster,
                                       const std::set<AssociationKey>& associations) {
  (void)controllers_.flush({cluster}, kFlushPatience);
  std::vector<JobId> found;
  AccountingReader::Scan wanted;
  wanted.clusters = {cluster};
  wanted.ended_since = Time::max() - Seconds{1};
  auto read = records_.scan(wanted, [&](const AccountingReader::Candidate& c) {
    if (found.size() < kMostJobsNamed && !is_ended(c.job.state) && is_in(associations, c.job))
      found.push_back(c.job.job);
  });
  if (!read) io::log_error("jobs of cluster {}: {}", cluster.view(), read.error().text());
  std::ranges::sort(found);
  return found;
}

std::string SiteKeeper::needs_cluster(const Text& cluster) {
  return controllers_.has(cluster) ? "its slurmctld is connected" : "";
}

}  // namespace muster::dbd
