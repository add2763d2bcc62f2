// Accounting's answer to a query, row by row.
#pragma once

#include <expected>
#include <string_view>
#include <vector>

#include "cli/lib/controller.h"
#include "cli/lib/errors.h"
#include "model/accounts/accounting_record.h"

namespace muster::cli {

std::expected<std::vector<AccountingRow>, Refusal> fetch_accounting(
    std::string_view program, Controller& controller, wire::AccountingRequest request);
inline constexpr std::string_view kAllClusters = "all";  // in place of a cluster's name

// Connects to the controller, or to slurmdbd; fails if the cluster keeps no accounting.
std::expected<Controller, Refusal> connect_to_accounting(std::string_view program);

}  // namespace muster::cli
