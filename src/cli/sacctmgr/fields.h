// fields: what sacctmgr can show of the rows of an answer. One table serves all entities: a field
// that a row does not have is empty.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/sacctmgr/site_line.h"
#include "cli/tables/bar_table.h"

namespace muster::cli {

// One line of a table: what of the answer it is made of.
struct ShownRow {
  const wire::ClusterShown* cluster = nullptr;
  const AccountRow* account = nullptr;
  const wire::UserShown* user = nullptr;
  const wire::AssociationShown* association = nullptr;
  const QosRow* qos = nullptr;
  const TresRow* tres = nullptr;
  const WckeyRow* wckey = nullptr;
  const ResourceRow* resource = nullptr;
  const std::pair<Text, std::uint32_t>* share = nullptr;  // of a resource: a cluster's
  const wire::EventShown* event = nullptr;
  const TransactionRow* transaction = nullptr;
  const wire::ProblemShown* problem = nullptr;
  const wire::RunawayJobShown* runaway = nullptr;
  const ReservationRecord* reservation = nullptr;
  std::span<const QosRow> all_qos = {};  // for their numbers
  Time now;
  bool with_coordinators = false;  // WithCoord
  std::uint32_t indent = 0;        // of an account in a tree
};

struct SiteField {
  std::string_view word;
  std::uint8_t least = 1;
  std::string_view name;  // the header
  int width = 0;
  void (*append)(const ShownRow& row, std::string& out) = nullptr;
};

using SiteColumns = std::vector<BarColumn<SiteField>>;
// "account,user%20,state%-6". The error is what to print.
std::expected<SiteColumns, std::string> read_site_columns(std::string_view format, bool tree);
// What is shown without Format=.
std::string usual_site_format(const SiteLine& line);

}  // namespace muster::cli
