// follow: the state follows what is said about accounts (AccountsNews). Only what differs becomes
// an event, so hearing something twice does no harm.
#pragma once

#include "controller/ledger/ledger.h"
#include "model/accounts/accounts_news.h"

namespace muster::controller {

void follow_accounts(Ledger& ledger, const AccountsNews& news);

}  // namespace muster::controller
