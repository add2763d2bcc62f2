// Passes updates to the function for their kind of record.
#include "controller/update/update.h"

namespace muster::controller {

wire::Answer update(Ledger& ledger, Host& host, NodeLinks& links, Allocations& allocations,
                    Power& power, Caller caller, const wire::UpdateRequest& request,
                    const SiteSays& says) {
  if (request.create && request.remove)
    return Error{ErrorCode::failure, "a record is made or removed, not both"};
  switch (request.kind) {
    case wire::UpdateRequest::Kind::job:
      return update_job(ledger, host, links.launches(), caller, request, says);
    case wire::UpdateRequest::Kind::node:
      return update_node(ledger, links, allocations, power, caller, request);
    case wire::UpdateRequest::Kind::partition:
      return update_partition(ledger, request);
    case wire::UpdateRequest::Kind::reservation:
      return update_reservation(ledger, host, request);
    case wire::UpdateRequest::Kind::step:
      return update_step(ledger, caller, request);
  }
  return Error{ErrorCode::failure, "no such kind of record"};
}

}  // namespace muster::controller
