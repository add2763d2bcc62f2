// How well a job used the resources it was given.
#pragma once

#include <string>

#include "cli/sacct/row.h"

namespace muster::cli {

std::string efficiency_report(const AccountingRow& row, const AcctContext& context);

}  // namespace muster::cli
