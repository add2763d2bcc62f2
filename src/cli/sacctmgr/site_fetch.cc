// Fetches what is there in the form of the file.
#include "cli/sacctmgr/site_file.h"
#include "cli/sacctmgr/tree_order.h"
#include "cli/sacctmgr/values.h"

namespace muster::cli {

namespace {

using Settings = std::map<std::string, std::string>;

void put(Settings& settings, std::string_view key, std::string value) {
  if (!value.empty()) settings[std::string(key)] = std::move(value);
}
void put(Settings& settings, std::string_view key, const std::optional<std::uint32_t>& count) {
  if (count) put(settings, key, std::to_string(*count));
}
void put(Settings& settings, std::string_view key, const std::optional<Minutes>& limit) {
  if (limit) put(settings, key, limit_text(*limit));
}
void put(Settings& settings, std::string_view key, const TresAmounts& amounts) {
  put(settings, key, amounts_text(amounts));
}
std::string comma_list(const std::vector<Text>& names) {
  std::string text;
  for (const Text& name : names) text.append(text.empty() ? "" : ",").append(name.view());
  return text;
}

void put_association(Settings& settings, const Association& a) {
  put(settings, "Fairshare", a.shares_of_parent ? "parent" : std::to_string(a.shares));
  const Limits& limits = a.limits;
  put(settings, "GrpJobs", limits.group.jobs);
  put(settings, "GrpJobsAccrue", limits.group.accruing);
  put(settings, "GrpSubmitJobs", limits.group.submitted);
  put(settings, "GrpTRES", limits.group.tres);
  put(settings, "GrpTRESMins", limits.group.past_minutes);
  put(settings, "GrpTRESRunMins", limits.group.run_minutes);
  put(settings, "GrpWall", limits.group.wall);
  put(settings, "MaxJobs", limits.per_user.jobs);
  put(settings, "MaxJobsAccrue", limits.per_user.accruing);
  put(settings, "MaxSubmitJobs", limits.per_user.submitted);
  put(settings, "MaxTRESPerJob", limits.max_per_job);
  put(settings, "MaxTRESPerNode", limits.max_per_node);
  put(settings, "MaxTRESMinsPerJob", limits.max_minutes_per_job);
  put(settings, "MaxWallDurationPerJob", limits.max_wall);
  put(settings, "MinPrioThreshold", a.min_priority);
  if (a.priority != 0) put(settings, "Priority", std::to_string(a.priority));
  put(settings, "DefaultQOS", a.default_qos.str());
  put(settings, "QOS", comma_list(a.qos));
}

std::optional<std::vector<wire::AccountsRow>> fetch(SiteSession& session, wire::Entity entity,
                                                    std::string_view key,
                                                    std::string_view cluster) {
  wire::AccountsRequest request;
  request.entity = entity;
  request.own_limits = request.with_coordinators = true;
  if (!key.empty()) request.where.push_back({key, {Text(cluster)}});
  auto reply = session.ask(request);
  if (!reply) return std::nullopt;
  return std::move(reply->rows);
}

std::string own(const std::vector<std::pair<Text, Text>>& defaults, std::string_view cluster) {
  for (const auto& [where, name] : defaults)
    if (where == cluster) return name.str();
  return {};
}

class Fetcher {
 public:
  Fetcher(SiteSession& session, std::string_view cluster) : session_(session) {
    file_.cluster = cluster;
  }

  std::optional<SiteFile> fetch_all() {
    const auto clusters = fetch(session_, wire::Entity::cluster, "Name", file_.cluster);
    if (!clusters) return std::nullopt;
    file_.is_known = !clusters->empty();
    if (!file_.is_known) return std::move(file_);
    const auto accounts = fetch(session_, wire::Entity::account, {}, {});
    const auto users = fetch(session_, wire::Entity::user, {}, {});
    const auto keys = fetch(session_, wire::Entity::wckey, "Cluster", file_.cluster);
    const auto rows = fetch(session_, wire::Entity::association, "Cluster", file_.cluster);
    if (!accounts || !users || !keys || !rows) return std::nullopt;
    know(*accounts);
    know(*users);
    know(*keys);
    std::vector<const wire::AssociationShown*> associations;
    for (const wire::AccountsRow& row : *rows)
      if (auto* association = std::get_if<wire::AssociationShown>(&row))
        associations.push_back(association);
    for (const TreeNode& node : in_tree_order(associations)) add(node.association->row.association);
    return std::move(file_);
  }

 private:
  void know(const std::vector<wire::AccountsRow>& rows) {
    for (const wire::AccountsRow& row : rows) {
      if (auto* account = std::get_if<wire::AccountShown>(&row)) {
        Settings& settings = of_account_[account->row.name];
        put(settings, "Description", account->row.description.str());
        put(settings, "Organization", account->row.organization.str());
      } else if (auto* user = std::get_if<wire::UserShown>(&row)) {
        know(*user);
      } else if (auto* key = std::get_if<WckeyRow>(&row)) {
        std::string& list = of_user_[key->user]["WCKeys"];
        list.append(list.empty() ? "" : ",").append(key->name.view());
      }
    }
  }
  void know(const wire::UserShown& user) {
    Settings& settings = of_user_[user.row.name];
    put(settings, "DefaultAccount", own(user.default_account, file_.cluster));
    put(settings, "DefaultWCKey", own(user.default_wckey, file_.cluster));
    if (user.row.admin_level == AdminLevel::operates) put(settings, "AdminLevel", "Operator");
    if (user.row.admin_level == AdminLevel::administers)
      put(settings, "AdminLevel", "Administrator");
    put(settings, "Coordinator", comma_list(user.coordinates));
  }

  void add(const Association& a) {
    SiteEntry entry;
    if (a.is_root()) {
      entry.kind = EntryKind::cluster;
      entry.name = file_.cluster;
    } else if (a.is_user()) {
      entry = {EntryKind::user, a.key.user.str(), a.key.account.str(), a.key.partition.str(),
               of_user_[a.key.user]};
    } else {
      entry = {EntryKind::account,
               a.key.account.str(),
               a.parent.empty() ? std::string(kRootAccount) : a.parent.str(),
               {},
               of_account_[a.key.account]};
    }
    put_association(entry.settings, a);
    file_.entries.push_back(std::move(entry));
  }

  SiteSession& session_;
  SiteFile file_;
  std::map<Text, Settings> of_account_, of_user_;
};

}  // namespace

std::optional<SiteFile> fetch_site(SiteSession& session, std::string_view cluster) {
  return Fetcher(session, cluster).fetch_all();
}

}  // namespace muster::cli
