// Applies PrivateData to requests, reservations and usage.
#include "controller/views/visibility.h"

#include <algorithm>

namespace muster::controller {

std::optional<Error> Visibility::refuses(const wire::Request& query) const {
  const bool asks_nodes = std::holds_alternative<wire::NodesRequest>(query);
  // The answer about nodes also names partitions.
  const bool asks_partitions = asks_nodes || std::holds_alternative<wire::PartitionsRequest>(query);
  const bool refused = (asks_nodes && rules_.nodes) || (asks_partitions && rules_.partitions);
  if (!refused || viewer_.is_operator) return std::nullopt;
  return Error{ErrorCode::access_denied, {}};
}

bool Visibility::sees(const Reservation& reservation) const {
  if (viewer_.is_operator || !rules_.reservations) return true;
  // Without associations, a user may run in any account.
  if ((*cluster_.associations).empty())
    return reservation.admits(viewer_.name, {}) ||
           std::ranges::any_of(reservation.accounts, [&](const Text& account) {
             return reservation.admits(viewer_.name, account);
           });
  return std::ranges::any_of(*cluster_.associations, [&](const Association& own) {
    return own.key.user == viewer_.name && reservation.admits(viewer_.name, own.key.account);
  });
}

bool Visibility::sees_share(const AssociationKey& share) const {
  if (viewer_.is_operator || !rules_.usage) return true;
  if (!share.user.empty()) return share.user == viewer_.name;
  if (share.account == kRootAccount) return true;
  // Accounts above the user's own accounts.
  return std::ranges::any_of(*cluster_.associations, [&](const Association& own) {
    return own.key.user == viewer_.name &&
           std::ranges::any_of(line_of(*cluster_.associations, own),
                               [&](const Association* above) { return above->key == share; });
  });
}

std::optional<Uid> Visibility::only_records_of() const {
  if (viewer_.is_operator || (!rules_.jobs && !rules_.usage)) return std::nullopt;
  return viewer_.uid;
}

}  // namespace muster::controller
