// Service: a site and its store behind one door. It answers commands, and says what the controllers
// have to be told of a change. It runs in slurmctld, where the site has one cluster; where it runs
// does not matter to it. Not thread-safe.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "accounts/command.h"
#include "accounts/first_rows.h"
#include "accounts/rights.h"
#include "accounts/site.h"
#include "model/accounts/accounts_news.h"
#include "model/accounts/private_data.h"
#include "state/accounts_store.h"

namespace muster::accounts {

struct Answer {
  wire::AccountsReply reply;
  AccountsNews news;  // of a change that is durable
};

class Service {
 public:
  Service(AccountsStore& store, Surroundings& around) : store_(store), around_(around) {}

  Result<void> load();
  // What a controller says when it starts, or has read its configuration again.
  Result<AccountsNews> enter(const Registration& registration, Time now);

  Answer answer(const Actor& actor, const PrivateData& hidden, const wire::AccountsRequest& request,
                Time now);

  // All that controllers have to know.
  AccountsNews all_news() const;
  const Site& site() const { return site_; }

 private:
  Answer show(const Actor& actor, const PrivateData& hidden, const wire::AccountsRequest& request);
  Outcome<std::vector<wire::AccountsRow>> show_transactions(const Actor& actor,
                                                            const PrivateData& hidden,
                                                            const wire::AccountsRequest& request);
  Answer change(const Actor& actor, const wire::AccountsRequest& request, Time now);
  void leave_out_unmanaged(AccountsNews& news) const;
  AccountsNews news_of(const Draft& draft);
  Result<AccountsNews> commit(Draft& draft, std::vector<TransactionRow> transactions);

  AccountsStore& store_;
  Surroundings& around_;
  Site site_;
  std::set<Text> managed_;  // clusters whose controllers know their associations
};

// For the log: "root adds account: Name=lab".
std::string change_text(std::string_view user, const wire::AccountsRequest& request);

}  // namespace muster::accounts
