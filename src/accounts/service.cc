// See service.h.
#include "accounts/service.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "accounts/show.h"
#include "base/text/strings.h"

namespace muster::accounts {

namespace {

using wire::AccountsVerb;
using wire::Entity;

constexpr std::size_t kMostTransactions = 100'000;  // in one answer
constexpr std::size_t kNamesOfTransaction = 100;

struct Verb {
  AccountsVerb verb;
  Entity entity;
  Outcome<> (*run)(const Command&);
  std::string_view action;  // of the transaction
};

constexpr Verb kVerbs[] = {
    {AccountsVerb::add, Entity::cluster, add_clusters, "Add Clusters"},
    {AccountsVerb::modify, Entity::cluster, modify_clusters, "Modify Clusters"},
    {AccountsVerb::remove, Entity::cluster, remove_clusters, "Remove Clusters"},
    {AccountsVerb::add, Entity::account, add_accounts, "Add Accounts"},
    {AccountsVerb::modify, Entity::account, modify_accounts, "Modify Accounts"},
    {AccountsVerb::remove, Entity::account, remove_accounts, "Remove Accounts"},
    {AccountsVerb::add, Entity::user, add_users, "Add Users"},
    {AccountsVerb::modify, Entity::user, modify_users, "Modify Users"},
    {AccountsVerb::remove, Entity::user, remove_users, "Remove Users"},
    {AccountsVerb::add, Entity::coordinator, add_coordinators, "Add Account Coord"},
    {AccountsVerb::remove, Entity::coordinator, remove_coordinators, "Remove Account Coord"},
    {AccountsVerb::add, Entity::qos, add_qos, "Add QOS"},
    {AccountsVerb::modify, Entity::qos, modify_qos, "Modify QOS"},
    {AccountsVerb::remove, Entity::qos, remove_qos, "Remove QOS"},
    {AccountsVerb::add, Entity::resource, add_resources, "Add Resources"},
    {AccountsVerb::modify, Entity::resource, modify_resources, "Modify Resources"},
    {AccountsVerb::remove, Entity::resource, remove_resources, "Remove Resources"},
};

const Verb* find_verb(const wire::AccountsRequest& request) {
  auto at = std::ranges::find_if(kVerbs, [&](const Verb& verb) {
    return verb.verb == request.verb && verb.entity == request.entity;
  });
  return at == std::end(kVerbs) ? nullptr : at;
}

std::string where_text(const wire::AccountsRequest& request) {
  std::vector<std::string> parts;
  for (const wire::Condition& condition : request.where) {
    std::vector<std::string> values;
    for (const Text& value : condition.values)
      values.push_back(fmt::format("{}='{}'", lower(condition.key), value.view()));
    if (!values.empty()) parts.push_back(fmt::format("({})", join(values, " or ")));
  }
  return join(parts, " and ");
}

std::string info_text(const wire::AccountsRequest& request) {
  constexpr std::string_view kHow[] = {"=", "+=", "-="};
  std::vector<std::string> parts;
  for (const wire::Setting& setting : request.settings)
    parts.push_back(fmt::format("{}{}'{}'", lower(setting.key),
                                kHow[static_cast<std::size_t>(setting.how)], setting.value));
  return join(parts, ", ");
}

TransactionRow transaction_of(const Actor& actor, std::string_view action,
                              const wire::AccountsRequest& request, const Draft& draft, Time now) {
  TransactionRow row{.at = now,
                     .actor = actor.name,
                     .action = action,
                     .where = where_text(request),
                     .info = info_text(request),
                     .cluster = {},
                     .accounts = {},
                     .users = {}};
  auto add = [](std::vector<Text>& names, const Text& name) {
    if (!name.empty() && names.size() < kNamesOfTransaction &&
        std::ranges::find(names, name) == names.end())
      names.push_back(name);
  };
  std::vector<Text> clusters;
  for (const wire::AccountsChange& change : draft.changes()) {
    add(clusters, change.cluster);
    add(row.accounts, change.association.account);
    add(row.users, change.association.user);
    if (change.entity == Entity::account) add(row.accounts, change.name);
    if (change.entity == Entity::user || change.entity == Entity::coordinator)
      add(row.users, change.name);
  }
  if (clusters.size() == 1) row.cluster = clusters.front();
  return row;
}

// Until somebody adds an account, a cluster is free for everybody: its controller does not hear of
// root's associations either.
bool has_accounts(const Associations& all) {
  return std::ranges::any_of(all, [](const auto& entry) {
    return entry.first.account != kRootAccount && !entry.second.times.deleted;
  });
}

void add_associations(const Site& site, const Text& cluster, std::vector<SiteRow>& rows) {
  for (const auto& [key, row] : associations_of(site, cluster))
    if (!row.times.deleted) rows.emplace_back(row);
}

Answer refused(std::uint64_t version, Note why) {
  return {.reply = {.version = version, .refusal = std::move(why)}, .news = {}};
}

}  // namespace

Result<void> Service::load() {
  auto content = store_.load();
  if (!content) return std::unexpected(content.error());
  site_ = {};
  for (const SiteRow& row : content->rows) site_.put(row);
  site_.version = content->version;
  managed_.clear();
  for (const auto& [cluster, all] : site_.associations)
    if (has_accounts(all)) managed_.insert(cluster);
  return {};
}

Result<AccountsNews> Service::enter(const Registration& registration, Time now) {
  Draft draft(site_);
  register_cluster(draft, registration, now);
  if (draft.empty()) return AccountsNews{.version = site_.version, .rows = {}, .resets = {}};
  return commit(draft, {});
}

void Service::leave_out_unmanaged(AccountsNews& news) const {
  std::erase_if(news.rows, [&](const SiteRow& row) {
    auto* association = std::get_if<AssociationRow>(&row);
    return association && !managed_.contains(association->cluster);
  });
}

AccountsNews Service::all_news() const {
  AccountsNews news{.version = site_.version, .rows = site_.rows(), .resets = {}, .is_all = true};
  leave_out_unmanaged(news);
  return news;
}

AccountsNews Service::news_of(const Draft& draft) {
  AccountsNews news{.version = site_.version, .rows = draft.rows(), .resets = draft.resets()};
  for (const auto& [cluster, all] : site_.associations)
    if (!managed_.contains(cluster) && has_accounts(all)) {
      managed_.insert(cluster);
      add_associations(site_, cluster, news.rows);
    }
  leave_out_unmanaged(news);
  return news;
}

Result<AccountsNews> Service::commit(Draft& draft, std::vector<TransactionRow> transactions) {
  auto done = store_.commit({.version = site_.version + 1,
                             .rows = draft.rows(),
                             .transactions = std::move(transactions),
                             .resets = draft.resets()});
  if (!done) return std::unexpected(done.error());
  draft.keep();
  ++site_.version;
  return news_of(draft);
}

Answer Service::answer(const Actor& actor, const PrivateData& hidden,
                       const wire::AccountsRequest& request, Time now) {
  if (auto ok = check_words(request); !ok) return refused(site_.version, ok.error());
  if (request.verb == AccountsVerb::show) return show(actor, hidden, request);
  return change(actor, request, now);
}

Answer Service::show(const Actor& actor, const PrivateData& hidden,
                     const wire::AccountsRequest& request) {
  auto rows = request.entity == Entity::transaction ? show_transactions(actor, hidden, request)
                                                    : accounts::show(site_, actor, hidden, request);
  if (!rows) return refused(site_.version, rows.error());
  return {.reply = {.version = site_.version, .rows = std::move(*rows)}, .news = {}};
}

Outcome<std::vector<wire::AccountsRow>> Service::show_transactions(
    const Actor& actor, const PrivateData& hidden, const wire::AccountsRequest& request) {
  if ((hidden.accounts || hidden.users) && !operates(actor))
    return refuse(Problem::denied, Entity::transaction, "operator");
  std::vector<wire::AccountsRow> rows;
  auto done = store_.transactions(request.start, request.end, [&](TransactionRow row) {
    if (is_meant(request, row)) rows.emplace_back(std::move(row));
    return rows.size() < kMostTransactions;
  });
  if (!done) return refuse(Problem::failed, Entity::transaction, {}, done.error().text());
  return rows;
}

Answer Service::change(const Actor& actor, const wire::AccountsRequest& request, Time now) {
  const Verb* verb = find_verb(request);
  if (!verb) return refused(site_.version, {Problem::not_supported, request.entity});
  if (auto ok = check_right(site_, actor, request); !ok) return refused(site_.version, ok.error());
  if (request.expected_version && *request.expected_version != site_.version)
    return refused(site_.version, {Problem::version_changed, request.entity});
  Draft draft(site_);
  if (auto ok = verb->run({request, actor, draft, around_, now}); !ok)
    return refused(site_.version, ok.error());
  Answer answer{
      .reply = {.version = site_.version, .notes = draft.notes(), .changes = draft.changes()},
      .news = {}};
  if (request.dry_run) return answer;
  if (draft.empty()) {  // what was asked for is so already
    answer.reply.committed = !answer.reply.changes.empty();
    return answer;
  }
  auto news = commit(draft, {transaction_of(actor, verb->action, request, draft, now)});
  if (!news)
    return refused(site_.version, {Problem::failed, request.entity, {}, news.error().text()});
  answer.reply.version = site_.version;
  answer.reply.committed = true;
  answer.news = std::move(*news);
  return answer;
}

std::string change_text(std::string_view user, const wire::AccountsRequest& request) {
  constexpr std::string_view kDone[] = {"shows", "adds", "modifies", "removes"};
  constexpr std::string_view kWhat[] = {"cluster", "account", "user",  "coordinator", "association",
                                        "QOS",     "TRES",    "wckey", "resource"};
  const auto entity = static_cast<std::size_t>(request.entity);
  std::vector<std::string> what;
  for (const wire::Condition& condition : request.where) {
    std::vector<std::string> names;
    for (const Text& name : condition.values) names.push_back(name.str());
    what.push_back(fmt::format("{}={}", condition.key.view(), join(names, ",")));
  }
  for (const wire::Setting& setting : request.settings)
    what.push_back(fmt::format("set {}={}", setting.key.view(), setting.value));
  std::string line = join(what, " ");
  constexpr std::size_t kLongest = 500;
  if (line.size() > kLongest) line = line.substr(0, kLongest) + "...";
  return fmt::format("{} {} {}: {}", user, kDone[static_cast<std::size_t>(request.verb)],
                     entity < std::size(kWhat) ? kWhat[entity] : "", line);
}

}  // namespace muster::accounts
