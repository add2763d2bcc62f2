// records_desk: answers what sacctmgr and sreport ask about accounting's records, on accounting's
// thread, in turn with other users.
#pragma once

#include <memory>

#include "controller/ledger/host.h"
#include "controller/timekeeper.h"
#include "controller/views/query.h"
#include "controller/views/visibility.h"
#include "io/net/server.h"
#include "slurmctld/accounting_feed.h"
#include "slurmctld/shares.h"
#include "slurmctld/users.h"
#include "wire/accounts.h"

namespace muster::daemon {

// Sends the rows of an answer in parts.
void send_rows(FairShares& shares, controller::ReplyTo to, Uid user,
               std::shared_ptr<wire::AccountsReply> whole);

struct RecordsDesk {
  AccountingFeed& accounting;  // it has a store
  FairShares& shares;
  io::Server& server;
  KnownUsers& users;
  const controller::Timekeeper& timekeeper;
};
struct RecordsAsker {
  std::shared_ptr<const controller::Published> state;
  controller::Viewer viewer;
  bool operates = false;
};
void answer_records(RecordsDesk desk, controller::ReplyTo to, const RecordsAsker& asker,
                    const wire::AccountsRequest& request);

}  // namespace muster::daemon
