// usage: what the cluster's controller says was used, and the tree of accounts that it was used in.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/sreport/session.h"
#include "cli/sreport/table.h"

namespace muster::cli {

using Amounts = std::map<Text, std::uint64_t>;  // by resource, times seconds

// What a report counts: -T, or CPUs.
struct ReportedTres {
  std::vector<Text> names;
  bool named = false;  // with -T
};
// Nothing where -T names no resource that there is; then that has been said.
std::optional<ReportedTres> reported_tres(ReportSession& session,
                                          const std::vector<UsageRow>& rows);

std::optional<std::vector<UsageRow>> fetch_usage(ReportSession& session, const ReportLine& line);

// What the cluster had in that time.
Amounts totals_of(const std::vector<UsageRow>& rows, const Text& cluster);
std::vector<Text> clusters_of(const std::vector<UsageRow>& rows);

// The accounts of a cluster: what is below what. An account that is gone stands below root.
class AccountTree {
 public:
  static std::optional<AccountTree> fetch(ReportSession& session, const Text& cluster);

  void know(const Text& account);
  Text parent(const Text& account) const;  // empty above root
  bool is_within(Text account, const Text& above) const;
  // Root first, and below each account its accounts by name.
  std::vector<std::pair<Text, std::size_t>> in_order() const;  // name, depth

 private:
  void visit(const Text& account, std::size_t depth, std::set<Text>& seen,
             std::vector<std::pair<Text, std::size_t>>& order) const;
  std::map<Text, Text> parents_;
};

inline constexpr std::string_view kRoot = "root";

}  // namespace muster::cli
