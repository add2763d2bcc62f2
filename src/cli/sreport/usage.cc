// Asks for usage and associations.
#include "cli/sreport/usage.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/strings.h"

namespace muster::cli {

namespace {

constexpr std::size_t kDeepest = 1000;

void restrict_clusters(const ReportSession& session, const ReportLine& line,
                       wire::AccountsRequest& request) {
  if (!line.clusters.empty())
    request.where.push_back({"Cluster", line.clusters});
  else if (!line.all_clusters && !session.all_clusters && session.controller)
    request.where.push_back({"Cluster", {Text(lower(session.controller->config().cluster_name))}});
}

}  // namespace

std::optional<std::vector<UsageRow>> fetch_usage(ReportSession& session, const ReportLine& line) {
  if (!session.connect()) return std::nullopt;
  wire::AccountsRequest request;
  request.entity = wire::Entity::usage;
  request.start = line.start;
  request.end = line.end;
  restrict_clusters(session, line, request);
  auto reply = session.rows(request);
  if (!reply) return std::nullopt;
  std::vector<UsageRow> rows;
  for (wire::AccountsRow& row : *reply)
    if (auto* usage = std::get_if<UsageRow>(&row)) rows.push_back(std::move(*usage));
  return rows;
}

std::optional<ReportedTres> reported_tres(ReportSession& session,
                                          const std::vector<UsageRow>& rows) {
  if (session.tres.empty()) return ReportedTres{.names = {"cpu"}, .named = false};
  wire::AccountsRequest request;
  request.entity = wire::Entity::tres;
  auto reply = session.rows(request);
  if (!reply) return std::nullopt;
  std::vector<Text> known;
  for (const wire::AccountsRow& row : *reply)
    if (auto* tres = std::get_if<TresRow>(&row))
      known.push_back(tres->name.empty() ? tres->type
                                         : Text(tres->type.str() + "/" + tres->name.str()));
  // What was used has been there, also if AccountingStorageTRES does not name it.
  for (const UsageRow& row : rows)
    for (const TresUse& use : row.use)
      if (std::ranges::find(known, use.tres) == known.end()) known.push_back(use.tres);
  ReportedTres found{.names = {}, .named = true};
  if (iequals(session.tres, "all")) {
    found.names = std::move(known);
    return found;
  }
  for (std::string_view name : split(session.tres, ',')) {
    const std::string whole = iequals(name, "gpu") ? "gres/gpu" : lower(name);
    if (std::ranges::find(known, Text(whole)) != known.end() &&
        std::ranges::find(found.names, Text(whole)) == found.names.end())
      found.names.emplace_back(whole);
  }
  if (!found.names.empty()) return found;
  session.fail("sreport: fatal: No valid TRES given\n");
  return std::nullopt;
}

Amounts totals_of(const std::vector<UsageRow>& rows, const Text& cluster) {
  Amounts totals;
  for (const UsageRow& row : rows)
    if (row.kind == UsageKind::cluster && row.cluster == cluster)
      for (const TresUse& use : row.use) totals[use.tres] = use.total;
  return totals;
}

std::vector<Text> clusters_of(const std::vector<UsageRow>& rows) {
  std::set<Text> names;
  for (const UsageRow& row : rows) names.insert(row.cluster);
  return {names.begin(), names.end()};
}

std::optional<AccountTree> AccountTree::fetch(ReportSession& session, const Text& cluster) {
  wire::AccountsRequest request;
  request.entity = wire::Entity::association;
  request.with_deleted = true;
  request.own_limits = true;
  request.where.push_back({"Cluster", {cluster}});
  auto reply = session.rows(request);
  if (!reply) return std::nullopt;
  AccountTree tree;
  tree.parents_.try_emplace(Text(kRoot));
  for (const wire::AccountsRow& row : *reply) {
    const auto* shown = std::get_if<wire::AssociationShown>(&row);
    if (!shown) continue;
    const Association& association = shown->row.association;
    if (association.is_user() || association.is_root()) continue;
    tree.parents_[association.key.account] = association.parent;
  }
  return tree;
}

void AccountTree::know(const Text& account) {
  if (!account.empty()) parents_.try_emplace(account, Text(kRoot));
}

Text AccountTree::parent(const Text& account) const {
  if (account == kRoot) return {};
  auto found = parents_.find(account);
  // One whose parent is not there, or that has none.
  if (found == parents_.end() || found->second.empty() || !parents_.contains(found->second))
    return Text(kRoot);
  return found->second;
}

bool AccountTree::is_within(Text account, const Text& above) const {
  for (std::size_t depth = 0; depth < kDeepest && !account.empty(); ++depth) {
    if (iequals(account.view(), above.view())) return true;
    account = parent(account);
  }
  return false;
}

void AccountTree::visit(const Text& account, std::size_t depth, std::set<Text>& seen,
                        std::vector<std::pair<Text, std::size_t>>& order) const {
  if (depth > kDeepest || !seen.insert(account).second) return;
  order.emplace_back(account, depth);
  for (const auto& [name, unused] : parents_)
    if (name != account && parent(name) == account) visit(name, depth + 1, seen, order);
}

std::vector<std::pair<Text, std::size_t>> AccountTree::in_order() const {
  std::vector<std::pair<Text, std::size_t>> order;
  std::set<Text> seen;
  visit(Text(kRoot), 0, seen, order);
  return order;
}

}  // namespace muster::cli
