// See rights.h.
#include "accounts/rights.h"

#include <algorithm>

namespace muster::accounts {

using wire::AccountsVerb;
using wire::Entity;

Actor actor_of(const Site& site, const Text& name, bool is_slurm_user) {
  if (is_slurm_user) return {name, AdminLevel::administers};
  const UserRow* user = name.empty() ? nullptr : find_user(site, name);
  return {name, user ? user->admin_level : AdminLevel::none};
}

const std::vector<Right>& rights() {
  static const std::vector<Right> all = {
      {AccountsVerb::add, Entity::cluster, Need::administrators},
      {AccountsVerb::modify, Entity::cluster, Need::administrators},
      {AccountsVerb::remove, Entity::cluster, Need::administrators},
      {AccountsVerb::add, Entity::account, Need::coordinator},
      {AccountsVerb::modify, Entity::account, Need::coordinator},
      {AccountsVerb::remove, Entity::account, Need::coordinator},
      {AccountsVerb::add, Entity::user, Need::coordinator},
      {AccountsVerb::modify, Entity::user, Need::anyone},  // one's own default account
      {AccountsVerb::remove, Entity::user, Need::coordinator},
      {AccountsVerb::add, Entity::coordinator, Need::coordinator},
      {AccountsVerb::remove, Entity::coordinator, Need::coordinator},
      {AccountsVerb::add, Entity::qos, Need::operators},
      {AccountsVerb::modify, Entity::qos, Need::operators},
      {AccountsVerb::remove, Entity::qos, Need::operators},
      {AccountsVerb::add, Entity::resource, Need::operators},
      {AccountsVerb::modify, Entity::resource, Need::operators},
      {AccountsVerb::remove, Entity::resource, Need::operators},
  };
  return all;
}

std::string_view need_name(Need need) {
  switch (need) {
    case Need::anyone:
      return "anyone";
    case Need::coordinator:
      return "coordinator or operator";
    case Need::operators:
      return "operator";
    case Need::administrators:
      return "administrator";
  }
  return {};
}

bool coordinates(const Site& site, const Actor& actor, const Text& cluster, const Text& account) {
  const Associations& all = associations_of(site, cluster);
  Text at = account;
  for (std::size_t steps = 0; steps <= kMaxTreeDepth && !at.empty(); ++steps) {
    const AccountRow* row = find_account(site, at);
    if (row && std::ranges::binary_search(row->coordinators, actor.name)) return true;
    auto above = all.find({.account = at, .user = {}, .partition = {}});
    at = above == all.end() ? Text() : account_above(above->second.association);
  }
  return false;
}

bool coordinates_any(const Site& site, const Actor& actor) {
  return std::ranges::any_of(site.accounts, [&](const auto& account) {
    return !account.second.times.deleted &&
           std::ranges::binary_search(account.second.coordinators, actor.name);
  });
}

Outcome<> check_right(const Site& site, const Actor& actor, const wire::AccountsRequest& request) {
  auto right = std::ranges::find_if(rights(), [&](const Right& r) {
    return r.verb == request.verb && r.entity == request.entity;
  });
  if (right == rights().end()) return refuse(Problem::not_supported, request.entity);
  bool ok = false;
  switch (right->need) {
    case Need::anyone:
      ok = !actor.name.empty();
      break;
    case Need::coordinator:
      ok = operates(actor) || (!actor.name.empty() && coordinates_any(site, actor));
      break;
    case Need::operators:
      ok = operates(actor);
      break;
    case Need::administrators:
      ok = actor.level == AdminLevel::administers;
      break;
  }
  if (!ok) return refuse(Problem::denied, request.entity, need_name(right->need));
  return {};
}

}  // namespace muster::accounts
