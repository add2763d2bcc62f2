// sacct without its connection: options and accounting rows in, text out.
#pragma once

#include <expected>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/lib/errors.h"
#include "cli/sacct/row.h"
#include "cli/tables/bar_table.h"
#include "wire/client_messages.h"

namespace muster::cli {

using AcctColumn = BarColumn<AcctField>;
using AcctForm = BarForm;

struct AcctOptions {
  wire::AccountingRequest request;
  std::vector<AcctColumn> columns;
  AcctForm form = AcctForm::table;
  std::string delimiter = "|";
  bool header = true, json = false, batch_script = false, environment = false,
       truncate_times = false;
  UnitStyle units;
  int verbose = 0;
  // Filters that the controller does not apply.
  std::vector<Gid> gids;
  std::vector<std::string> wckeys, reasons, constraints;
  std::optional<std::pair<std::uint32_t, std::uint32_t>> nodes_between, cpus_between;
  std::optional<Minutes> least_limit, most_limit;
};

std::expected<AcctOptions, Refusal> parse_sacct(std::span<const std::string> words, Time now);
// "jobid,state%-20,all"
std::expected<std::vector<AcctColumn>, Refusal> parse_acct_format(std::string_view text);
std::string acct_field_list();  // --helpformat

bool passes(const AcctOptions& options, const JobRecord& job);
std::string list_accounting(const std::vector<AccountingRow>& rows, const AcctOptions& options,
                            const AcctContext& context);
std::string accounting_json(const std::vector<AccountingRow>& rows, const AcctContext& context);

}  // namespace muster::cli
