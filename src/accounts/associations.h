// associations: what the verbs do to the trees of associations.
#pragma once

#include <set>

#include "accounts/command.h"

namespace muster::accounts {

// Limits and the like that the command sets for each association it is about.
bool sets_association(const Command& command);
Outcome<> apply_settings(const Command& command, const Text& cluster, Association& association);

// A new association, or one that was deleted, put below its account or parent. False if it is
// there already.
Outcome<bool> add_association(const Command& command, const Text& cluster, Association association);
// The command's settings, for one that is there.
Outcome<> change_association(const Command& command, const AssociationRow& row);
// Puts a row whose association has been changed. It is told of even where it is as before: what was
// asked for is so.
void put_changed(const Command& command, AssociationRow row);

// They and all below them. Refused while jobs use one, or if a user would lose the default account
// and keep others.
Outcome<> remove_associations(const Command& command, const Text& cluster,
                              std::set<AssociationKey> keys);
// The account itself and everything below it.
void add_all_below(const Site& site, const Text& cluster, const Text& account,
                   std::set<AssociationKey>& keys);

// Accounts and users that have lost their last association with this command are removed, and so
// are these, if they have none.
void forget_unused(const Command& command, std::set<Text> users, std::set<Text> accounts);

// Makes the account the user's default one. False where the user is not in it.
bool set_default_account(const Command& command, const Text& cluster, const Text& user,
                         const Text& account);

// RawUsage=0, if the command says so.
Outcome<> reset_usage(const Command& command, const AssociationRow& row);

}  // namespace muster::accounts
