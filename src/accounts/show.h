// show: the rows of a site that a command asks for, in printing order, as far as the caller may see
// them.
#pragma once

#include <vector>

#include "accounts/rights.h"
#include "accounts/site.h"
#include "model/accounts/private_data.h"
#include "wire/accounts.h"

namespace muster::accounts {

// All but transactions and what is no row of a site.
Outcome<std::vector<wire::AccountsRow>> show(const Site& site, const Actor& actor,
                                             const PrivateData& hidden,
                                             const wire::AccountsRequest& request);

// Whether the transaction is one of those asked for.
bool is_meant(const wire::AccountsRequest& request, const TransactionRow& row);

// The association with what it inherits: limits, QOS and default QOS.
Association with_inherited(const Associations& all, const Association& association);

}  // namespace muster::accounts
