// rights: who may change and see what of a site: the table "Who may change accounts" of
// docs/security.md.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "accounts/site.h"
#include "accounts/words.h"
#include "wire/accounts.h"

namespace muster::accounts {

// Who asks. Root and SlurmUser are administrators; the level of others is in their row.
struct Actor {
  Text name;  // empty: a user without a name, who may do what anybody may
  AdminLevel level = AdminLevel::none;
};
Actor actor_of(const Site& site, const Text& name, bool is_slurm_user);

// Coordinators: those of the accounts that the command touches; the verb decides for each.
enum class Need : std::uint8_t { anyone, coordinator, operators, administrators };

struct Right {
  wire::AccountsVerb verb;
  wire::Entity entity;
  Need need;
};
// One for each change that there is; what is not listed, nobody may.
const std::vector<Right>& rights();
std::string_view need_name(Need need);  // "coordinator or operator"

inline bool operates(const Actor& actor) { return actor.level >= AdminLevel::operates; }
// Of this account or of one above it, on that cluster.
bool coordinates(const Site& site, const Actor& actor, const Text& cluster, const Text& account);
// Of any account.
bool coordinates_any(const Site& site, const Actor& actor);
inline bool may_manage(const Site& site, const Actor& actor, const Text& cluster,
                       const Text& account) {
  return operates(actor) || coordinates(site, actor, cluster, account);
}

// Whether the actor may ask for this at all; coordinators are looked at again by the verb.
Outcome<> check_right(const Site& site, const Actor& actor, const wire::AccountsRequest& request);

}  // namespace muster::accounts
