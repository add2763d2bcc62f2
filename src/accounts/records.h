// records: what sacctmgr and sreport show of accounting's records: events, reservations, jobs whose
// end nobody recorded, and usage. The one change is that such a job gets its end.
#pragma once

#include <functional>
#include <vector>

#include "accounts/words.h"
#include "state/accounting_store.h"
#include "wire/accounts.h"

namespace muster::accounts {

// Who asks, and what the surroundings know.
struct RecordsViewer {
  bool operates = false;
  bool sees_nodes = true, sees_reservations = true;
  std::function<bool(const AssociationKey&)> sees_usage;
  std::function<Text(Uid)> name_of;
  // Whether the controller knows the job of a row that has no end.
  std::function<bool(const JobRecord&)> is_known;
};

inline bool is_of_records(wire::Entity entity) {
  return entity == wire::Entity::event || entity == wire::Entity::reservation ||
         entity == wire::Entity::runaway_job || entity == wire::Entity::usage;
}

// For usage, what can be known must be known already (accounting/roll_up.h).
wire::AccountsReply answer_of_records(AccountingStore& store, const RecordsViewer& viewer,
                                      const wire::AccountsRequest& request, Time now);

}  // namespace muster::accounts
