// Applies PrivateData to requests, reservations and usage.
#include "controller/views/visibility.h"

#include <algorithm>

#include "controller/submit/partition_choice.h"

namespace muster::controller {

std::optional<Error> Visibility::refuses(const wire::Request& query) const {
  auto* jobs = std::get_if<wire::JobsRequest>(&query);
  const bool asks_nodes =
      std::holds_alternative<wire::NodesRequest>(query) || (jobs && jobs->checks_nodes);
  // The answer about nodes names their partitions.
  const bool asks_partitions = asks_nodes || std::holds_alternative<wire::PartitionsRequest>(query);
  // What somebody may still use is for that user.
  if (auto* budget = std::get_if<wire::BudgetRequest>(&query);
      budget && !viewer_.is_operator &&
      (budget->uid != viewer_.uid || (rules_.any() && budget->user != viewer_.name)))
    return Error{ErrorCode::access_denied, {}};
  const bool refused = (asks_nodes && rules_.nodes) || (asks_partitions && rules_.partitions);
  if (!refused || viewer_.is_operator) return std::nullopt;
  return Error{ErrorCode::access_denied, {}};
}

bool Visibility::is_hidden(const Partition& partition) const {
  return partition.hidden || (viewer_.uid != Uid{0} && !admits_groups(partition, viewer_.groups));
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

bool Visibility::is_in(const Text& account) const {
  return std::ranges::any_of(*cluster_.associations, [&](const Association& own) {
    return own.key.user == viewer_.name &&
           std::ranges::any_of(line_of(*cluster_.associations, own), [&](const Association* above) {
             return above->key.account == account;
           });
  });
}

bool Visibility::sees_user(const Text& user) const {
  return viewer_.is_operator || !rules_.users || user == viewer_.name;
}

bool Visibility::sees_account(const Text& account) const {
  return viewer_.is_operator || !(rules_.accounts || rules_.usage) || is_in(account);
}

bool Visibility::sees_association(const AssociationKey& key) const {
  return sees_share(key) && sees_account(key.account) && (key.user.empty() || sees_user(key.user));
}

std::optional<Uid> Visibility::only_records_of() const {
  if (viewer_.is_operator || (!rules_.jobs && !rules_.usage)) return std::nullopt;
  return viewer_.uid;
}

}  // namespace muster::controller
