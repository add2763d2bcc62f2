// Reads what is asked for, and fetches and selects the records.
#include "cli/scontrol/assoc_mgr.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/strings.h"
#include "cli/scontrol/assoc_text.h"

namespace muster::cli {

namespace {

struct Wanted {
  std::vector<std::string> users, accounts, qos;
  bool shows_users = true, shows_associations = true, shows_qos = true;
};

bool has(const std::vector<std::string>& list, std::string_view name) {
  return list.empty() ||
         std::ranges::any_of(list, [&](const std::string& word) { return iequals(word, name); });
}

bool read_flags(ScontrolSession& session, const std::vector<std::string>& words, Wanted& wanted) {
  wanted.shows_users = wanted.shows_associations = wanted.shows_qos = false;
  for (const std::string& word : words) {
    if (istarts_with(word, "users"))
      wanted.shows_users = true;
    else if (istarts_with(word, "assoc"))
      wanted.shows_associations = true;
    else if (iequals(word, "qos"))
      wanted.shows_qos = true;
    else {
      session.error("invalid flag '{}', valid options are 'Assoc, QOS, and/or Users'", word);
      return false;
    }
  }
  return true;
}

// Words are joined by commas, like the lists in them; each list begins with "key=".
bool read_words(ScontrolSession& session, const std::string& words, Wanted& wanted) {
  std::vector<std::pair<std::string, std::vector<std::string>>> lists;
  for (std::string_view word : split(words, ',')) {
    const auto equals = word.find('=');
    if (equals != word.npos)
      lists.emplace_back(std::string(word.substr(0, equals)),
                         std::vector{std::string(word.substr(equals + 1))});
    else if (lists.empty() && !word.empty()) {
      session.error("No value given for option {}", word);
      return false;
    } else if (!lists.empty())
      lists.back().second.emplace_back(word);
  }
  for (auto& [key, names] : lists) {
    auto is = [&](std::string_view full) { return !key.empty() && istarts_with(full, key); };
    if (is("accounts"))
      wanted.accounts = std::move(names);
    else if (is("users"))
      wanted.users = std::move(names);
    else if (is("qos"))
      wanted.qos = std::move(names);
    else if (is("flags")) {
      if (!read_flags(session, names, wanted)) return false;
    } else {
      session.error("invalid entity: {}={} for keyword:show assoc_mgr", key, join(names, ","));
      return false;
    }
  }
  return true;
}

// The numbers of associations and QOS are known to the keeper of accounts.
AssocIds fetch_ids(ScontrolSession& session, const std::string& cluster) {
  AssocIds ids;
  wire::AccountsRequest request;
  request.own_limits = true;
  request.where.push_back({"Cluster", {Text(lower(cluster))}});
  if (auto reply = session.ask_for<wire::AccountsReply>(request))
    for (const wire::AccountsRow& row : reply->rows)
      if (auto* shown = std::get_if<wire::AssociationShown>(&row))
        ids.associations[shown->row.association.key] = {shown->row.id, shown->lft,
                                                        shown->parent_id};
  request = {};
  request.entity = wire::Entity::qos;
  if (auto reply = session.ask_for<wire::AccountsReply>(request))
    for (const wire::AccountsRow& row : reply->rows)
      if (auto* qos = std::get_if<QosRow>(&row)) ids.qos[qos->qos.name] = qos->id;
  return ids;
}

// Resources that accounting keeps, and those that some limit names.
std::vector<std::string> tres_of(const wire::ConfigReply& config, const wire::LimitsReply& reply) {
  std::vector<std::string> names{"cpu",     "mem",     "energy", "node",
                                 "billing", "fs/disk", "vmem",   "pages"};
  auto add = [&](std::string_view name) {
    if (!name.empty() && std::ranges::find(names, name) == names.end()) names.emplace_back(name);
  };
  for (const auto& [key, value] : config.settings)
    if (key == "AccountingStorageTRES")
      for (std::string_view name : split(value, ',')) add(lower(trim(name)));
  auto add_limits = [&](const Limits& l) {
    for (const TresAmounts* amounts : {&l.group.tres, &l.group.past_minutes, &l.group.run_minutes,
                                       &l.per_user.tres, &l.per_account.tres})
      for (const auto& [name, amount] : *amounts) add(name);
  };
  for (const wire::LimitsRow& row : reply.rows) {
    if (row.association) add_limits(row.association->association.limits);
    if (row.qos) add_limits(row.qos->qos.limits);
  }
  return names;
}

// "User Records" and the records, or that there are none.
void print_records(const std::string& records, std::string_view title, std::string_view none,
                   bool one_line) {
  const std::string_view blank = one_line ? "" : "\n";
  if (records.empty())
    fmt::print("{}No {} currently cached in Slurm.\n{}", blank, none, blank);
  else
    fmt::print("{}{} Records\n{}{}", blank, title, blank, records);
}

}  // namespace

void show_assoc_mgr(ScontrolSession& session, const std::string& words) {
  Wanted wanted;
  if (!read_words(session, words, wanted)) return;
  auto config = session.ask_for<wire::ConfigReply>(wire::ConfigRequest{});
  if (!config) return session.error("slurm_load_assoc_mgr_info error: {}", config.error().text());
  auto reply = session.ask_for<wire::LimitsReply>(wire::LimitsRequest{});
  if (!reply) return session.error("slurm_load_assoc_mgr_info error: {}", reply.error().text());
  const std::string cluster = lower(session.controller->config().cluster_name);
  const AssocStyle style{.cluster = cluster,
                         .tres = tres_of(*config, *reply),
                         .ids = fetch_ids(session, cluster),
                         .shares = level_shares(*reply),
                         .one_line = session.one_line};
  std::string users, associations, qos;
  for (const wire::LimitsRow& row : reply->rows) {
    if (row.user && has(wanted.users, row.user->access.user)) users += user_text(*row.user);
    if (row.association) {
      const AssociationKey& key = row.association->association.key;
      if (has(wanted.accounts, key.account) && (key.user.empty() || has(wanted.users, key.user)))
        associations += association_text(*row.association, style);
    }
    if (row.qos && has(wanted.qos, row.qos->qos.name)) qos += qos_text(*row.qos, style);
  }
  fmt::print("Current Association Manager state\n");
  if (wanted.shows_users) print_records(users, "User", "users", style.one_line);
  if (wanted.shows_associations)
    print_records(associations, "Association", "associations", style.one_line);
  if (wanted.shows_qos) print_records(qos, "QOS", "QOS", style.one_line);
  if (!style.one_line) fmt::print("\n");
}

}  // namespace muster::cli
