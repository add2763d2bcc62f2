// Reports of who used how much: by accounts, users and keys, and the users who used most.
#include <algorithm>

#include <fmt/format.h>

#include "base/text/strings.h"
#include "cli/sreport/usage.h"

namespace muster::cli {

namespace {

// clang-format off
constexpr ReportField kFields[] = {
    {Cell::account, "Accounts", 1, "Account", 15},
    {Cell::cluster, "Cluster", 1, "Cluster", 9},
    {Cell::energy, "Energy", 1, "Energy", 8, true},
    {Cell::login, "Login", 1, "Login", 9},
    {Cell::proper, "Proper", 1, "Proper Name", 15},
    {Cell::tres_count, "TresCount", 5, "TRES Count", 10},
    {Cell::tres_name, "TresName", 5, "TRES Name", 14},
    {Cell::used, "Used", 1, "Used", 8, true},
    {Cell::wckey, "WCKey", 1, "WCKey", 15},
};
// In a tree the accounts stand on the left, below each other.
constexpr ReportField kTreeFields[] = {
    {Cell::account, "Accounts", 1, "Account", -20},
    kFields[1], kFields[2], kFields[3], kFields[4], kFields[5], kFields[6], kFields[7], kFields[8],
};
// clang-format on

std::string usual(std::string_view first, const ReportedTres& tres, bool energy = true) {
  return std::string(first) + (tres.named ? ",TresName,Used" : energy ? ",Used,Energy" : ",Used");
}

std::string unit(const ReportSession& session, const ReportedTres& tres) {
  return "Usage reported in " + time_form_text(session.time, tres.named ? "TRES" : "CPU");
}

std::uint64_t amount(const Amounts& amounts, const Text& tres) {
  auto found = amounts.find(tres);
  return found == amounts.end() ? 0 : found->second;
}

void add(Amounts& sum, const UsageRow& row) {
  for (const TresUse& use : row.use) sum[use.tres] += use.allocated;
}

// A row for each resource.
void add_rows(ReportTable& table, const ReportedTres& tres, const Amounts& used,
              const Amounts& totals, ReportRow row) {
  for (const Text& name : tres.names) {
    ReportRow one = row;
    one[Cell::tres_name].text = name.str();
    one[Cell::tres_count].text = "0";
    one[Cell::used].seconds = amount(used, name);
    one[Cell::used].whole = amount(totals, name);
    one[Cell::energy].seconds = amount(used, "energy");
    one[Cell::energy].whole = amount(totals, "energy");
    table.add(std::move(one));
  }
}

ReportRow row_of(const Text& cluster, const Text& account, const Text& user) {
  ReportRow row;
  row[Cell::cluster].text = cluster.str();
  row[Cell::account].text = account.str();
  row[Cell::login].text = user.str();
  if (!user.empty()) row[Cell::proper].text = full_name_of(user.view());
  return row;
}

bool is_anything(const Amounts& amounts) {
  return std::ranges::any_of(amounts, [](const auto& entry) { return entry.second > 0; });
}

struct Loaded {
  std::vector<UsageRow> rows;
  ReportedTres tres;
};
std::optional<Loaded> load(ReportSession& session, const ReportLine& line) {
  auto rows = fetch_usage(session, line);
  if (!rows) return std::nullopt;
  auto tres = reported_tres(session, *rows);
  if (!tres) return std::nullopt;
  return Loaded{std::move(*rows), std::move(*tres)};
}

// --- AccountUtilizationByUser ---
struct AccountReport {
  const ReportLine& line;
  const Loaded& loaded;
  const Text& cluster;
  AccountTree& tree;
  ReportTable& table;
  std::map<Text, Amounts> sums = {};                      // of accounts, with all below
  std::map<std::pair<Text, Text>, Amounts> of_user = {};  // account, user

  void run();

 private:
  std::string shown(const Text& account, std::size_t depth) const {
    return line.tree ? std::string(depth, ' ') + account.str() : account.str();
  }
  // With users, accounts are those of the users themselves.
  bool is_wanted(const Text& account) const {
    if (!line.users.empty()) return allows(line.accounts, account.view());
    return line.accounts.empty() || std::ranges::any_of(line.accounts, [&](const Text& above) {
             return tree.is_within(account, above);
           });
  }
  void add_users(const Text& account, const Text& shown_account, std::size_t depth,
                 const Amounts& totals);
};

void AccountReport::add_users(const Text& account, const Text& shown_account, std::size_t depth,
                              const Amounts& totals) {
  for (auto at = of_user.lower_bound({account, {}});
       at != of_user.end() && at->first.first == account; ++at) {
    const Text& user = at->first.second;
    if (!is_anything(at->second) || !allows(line.users, user.view())) continue;
    ReportRow row = row_of(cluster, shown_account, user);
    row[Cell::account].text = shown(shown_account, depth + 1);
    add_rows(table, loaded.tres, at->second, totals, std::move(row));
  }
}

void AccountReport::run() {
  const Amounts totals = totals_of(loaded.rows, cluster);
  for (const UsageRow& row : loaded.rows) {
    if (row.kind != UsageKind::association || row.cluster != cluster) continue;
    tree.know(row.account);
    add(of_user[{row.account, row.user}], row);
  }
  for (const auto& [key, used] : of_user) {
    Text account = key.first.empty() ? Text(kRoot) : key.first;
    for (; !account.empty(); account = tree.parent(account))
      for (const auto& [name, seconds] : used) sums[account][name] += seconds;
  }
  for (const auto& [account, depth] : tree.in_order()) {
    if (!is_anything(sums[account]) || !is_wanted(account)) continue;
    if (line.users.empty()) {
      ReportRow row = row_of(cluster, account, {});
      row[Cell::account].text = shown(account, depth);
      add_rows(table, loaded.tres, sums[account], totals, std::move(row));
    }
    add_users(account, account, depth, totals);
    if (account == kRoot) add_users({}, {}, depth, totals);  // without an account
  }
}

// --- lines of users ---
struct UserLine {
  Text cluster, user;
  std::vector<Text> labels;  // its accounts, or its key
  Amounts used;
};

std::vector<UserLine> user_lines(const Loaded& loaded, const ReportLine& line, UsageKind kind) {
  std::vector<UserLine> lines;
  for (const UsageRow& row : loaded.rows) {
    const Text& label = kind == UsageKind::wckey ? row.wckey : row.account;
    const auto& wanted = kind == UsageKind::wckey ? line.wckeys : line.accounts;
    if (row.kind != kind || !allows(line.users, row.user.view()) || !allows(wanted, label.view()))
      continue;
    UserLine one{.cluster = row.cluster, .user = row.user, .labels = {label}, .used = {}};
    add(one.used, row);
    if (is_anything(one.used)) lines.push_back(std::move(one));
  }
  return lines;
}

std::string labels_text(const UserLine& line) {
  std::vector<std::string> names;
  for (const Text& label : line.labels) names.push_back(label.str());
  return join(names, ", ");
}

void add_user_lines(ReportTable& table, const Loaded& loaded, const std::vector<UserLine>& lines,
                    Cell label) {
  for (const UserLine& line : lines) {
    ReportRow row = row_of(line.cluster, {}, line.user);
    row[label].text = labels_text(line);
    add_rows(table, loaded.tres, line.used, totals_of(loaded.rows, line.cluster), std::move(row));
  }
}

// The users who used most come first, each with what it used most.
void sort_by_user(std::vector<UserLine>& lines, const Text& tres) {
  std::map<std::pair<Text, Text>, std::uint64_t> totals;
  for (const UserLine& line : lines) totals[{line.cluster, line.user}] += amount(line.used, tres);
  std::ranges::stable_sort(lines, [&](const UserLine& a, const UserLine& b) {
    if (a.cluster != b.cluster) return a.cluster < b.cluster;
    if (a.user == b.user) return amount(a.used, tres) > amount(b.used, tres);
    const auto of_a = totals[{a.cluster, a.user}], of_b = totals[{b.cluster, b.user}];
    return of_a != of_b ? of_a > of_b : a.user < b.user;
  });
}

void report_user_lines(ReportSession& session, const ReportLine& line, UsageKind kind) {
  const auto loaded = load(session, line);
  if (!loaded) return;
  const bool keys = kind == UsageKind::wckey;
  ReportTable table(session, kFields,
                    usual(keys ? "Cluster,Login,Proper,WCKey" : "Cluster,Login,Proper,Accounts",
                          loaded->tres, !keys),
                    line);
  auto lines = user_lines(*loaded, line, kind);
  sort_by_user(lines, loaded->tres.names.front());
  add_user_lines(table, *loaded, lines, keys ? Cell::wckey : Cell::account);
  table.print(keys ? "Cluster/User/WCKey Utilization" : "Cluster/User/Account Utilization", line,
              true, unit(session, loaded->tres));
}

// The accounts of a user in the order of the tree.
bool sort_by_tree(ReportSession& session, std::vector<UserLine>& lines) {
  std::map<Text, std::map<Text, std::size_t>> places;
  for (const UserLine& line : lines) {
    auto& of_cluster = places[line.cluster];
    if (!of_cluster.empty()) continue;
    const auto tree = AccountTree::fetch(session, line.cluster);
    if (!tree) return false;
    for (const auto& [account, depth] : tree->in_order())
      of_cluster.emplace(account, of_cluster.size());
  }
  std::ranges::stable_sort(lines, {}, [&](const UserLine& line) {
    return std::pair(line.cluster, places[line.cluster][line.labels.front()]);
  });
  return true;
}

// All accounts of a user in one line.
std::vector<UserLine> grouped(std::vector<UserLine> lines) {
  std::vector<UserLine> groups;
  for (UserLine& line : lines) {
    auto same = std::ranges::find_if(groups, [&](const UserLine& group) {
      return group.cluster == line.cluster && group.user == line.user;
    });
    if (same == groups.end()) {
      groups.push_back(std::move(line));
      continue;
    }
    same->labels.push_back(line.labels.front());
    for (const auto& [name, seconds] : line.used) same->used[name] += seconds;
  }
  return groups;
}

}  // namespace

void report_accounts_by_user(ReportSession& session, const ReportLine& line) {
  const auto loaded = load(session, line);
  if (!loaded) return;
  const std::span<const ReportField> fields = line.tree ? std::span(kTreeFields) : kFields;
  ReportTable table(session, fields, usual("Cluster,Accounts,Login,Proper", loaded->tres), line);
  for (const Text& cluster : clusters_of(loaded->rows)) {
    auto tree = AccountTree::fetch(session, cluster);
    if (!tree) return;
    AccountReport{
        .line = line, .loaded = *loaded, .cluster = cluster, .tree = *tree, .table = table}
        .run();
  }
  table.print("Cluster/Account/User Utilization", line, true, unit(session, loaded->tres));
}

void report_users_by_account(ReportSession& session, const ReportLine& line) {
  report_user_lines(session, line, UsageKind::association);
}
void report_users_by_wckey(ReportSession& session, const ReportLine& line) {
  report_user_lines(session, line, UsageKind::wckey);
}

void report_wckeys_by_user(ReportSession& session, const ReportLine& line) {
  const auto loaded = load(session, line);
  if (!loaded) return;
  ReportTable table(session, kFields, usual("Cluster,WCKey,Login,Proper", loaded->tres, false),
                    line);
  auto lines = user_lines(*loaded, line, UsageKind::wckey);
  std::ranges::sort(lines, {}, [](const UserLine& one) {
    return std::tuple(one.cluster, one.labels.front(), one.user);
  });
  // Each key with the sum of its users first.
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool begins = i == 0 || lines[i].cluster != lines[i - 1].cluster ||
                        lines[i].labels != lines[i - 1].labels;
    if (begins && line.users.empty()) {
      UserLine sum{.cluster = lines[i].cluster, .labels = lines[i].labels};
      for (const UserLine& one : lines)
        if (one.cluster == sum.cluster && one.labels == sum.labels)
          for (const auto& [name, seconds] : one.used) sum.used[name] += seconds;
      add_user_lines(table, *loaded, {sum}, Cell::wckey);
    }
    add_user_lines(table, *loaded, {lines[i]}, Cell::wckey);
  }
  table.print("Cluster/WCKey/User Utilization", line, true, unit(session, loaded->tres));
}

void report_top_users(ReportSession& session, const ReportLine& line) {
  const auto loaded = load(session, line);
  if (!loaded) return;
  static constexpr ReportField kTopFields[] = {kFields[0], kFields[1], kFields[2], kFields[3],
                                               kFields[4], kFields[6], kFields[7]};
  ReportTable table(session, kTopFields, usual("Cluster,Login,Proper,Accounts", loaded->tres),
                    line);
  auto lines = user_lines(*loaded, line, UsageKind::association);
  if (line.group) {
    if (!sort_by_tree(session, lines)) return;
    lines = grouped(std::move(lines));
  }
  const Text& first = loaded->tres.names.front();
  std::ranges::stable_sort(lines, [&](const UserLine& a, const UserLine& b) {
    if (a.cluster != b.cluster) return a.cluster < b.cluster;
    const auto of_a = amount(a.used, first), of_b = amount(b.used, first);
    return of_a != of_b ? of_a > of_b : a.user < b.user;
  });
  std::map<Text, std::size_t> shown;
  std::erase_if(lines, [&](const UserLine& one) { return ++shown[one.cluster] > line.top_count; });
  add_user_lines(table, *loaded, lines, Cell::account);
  table.print(fmt::format("Top {} Users", line.top_count), line, true, unit(session, loaded->tres));
}

}  // namespace muster::cli
