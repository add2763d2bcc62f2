// What sacctmgr asks, and what it is answered. One command changes or shows one kind of row
// (model/accounts/site_rows.h). A change is asked for twice: first with `dry_run`, so that the user
// can be shown what it would do, then with the version of that answer, so that nobody confirms
// something else than what happens.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/codec/codec.h"
#include "base/containers/text.h"
#include "base/ids.h"
#include "base/time.h"
#include "model/accounts/accounting_record.h"
#include "model/accounts/site_rows.h"
#include "model/accounts/usage_row.h"
#include "wire/job_ref.h"

namespace muster::wire {

enum class AccountsVerb : std::uint8_t { show, add, modify, remove };
constexpr AccountsVerb last_of(AccountsVerb) { return AccountsVerb::remove; }

enum class Entity : std::uint8_t {
  cluster,
  account,
  user,
  coordinator,
  association,
  qos,
  tres,
  wckey,
  resource,
  event,
  transaction,
  problem,
  runaway_job,
  job,
  reservation,
  usage,
};
constexpr Entity last_of(Entity) { return Entity::usage; }

// Which rows are meant: those whose key is one of the values. Conditions are joined by "and".
// For `add` these are the names of what is added, and where: Name, Cluster, Account, Partition.
struct Condition {
  Text key;  // the full word of sacctmgr(1), "Account"; upper and lower case do not matter
  std::vector<Text> values;
  template <class V>
  void fields(V& v) {
    v(1, key);
    v(2, values);
  }
};

enum class SetHow : std::uint8_t { set, add, remove };  // =, +=, -=
constexpr SetHow last_of(SetHow) { return SetHow::remove; }

struct Setting {
  Text key;  // the full word of sacctmgr(1), "GrpTRES"
  SetHow how = SetHow::set;
  std::string value;  // as written, without quotes; "-1" or "" resets it
  template <class V>
  void fields(V& v) {
    v(1, key);
    v(2, how);
    v(3, value);
  }
};

struct AccountsRequest {
  AccountsVerb verb = AccountsVerb::show;
  Entity entity = Entity::association;
  std::vector<Condition> where;
  std::vector<Setting> settings;
  bool dry_run = false;
  std::optional<std::uint64_t> expected_version;  // of a preview; unset = whatever is there
  // show
  bool with_associations = false;  // WithAssoc: of accounts, users
  bool with_deleted = false;
  bool with_coordinators = false;  // WithCoord
  bool with_sub_accounts = false;  // WithSubAccts
  bool only_defaults = false;      // OnlyDefaults
  bool own_limits = false;         // WOPLimits: nothing that is inherited
  Time start, end;                 // of events and transactions
  std::vector<JobRef> jobs;        // modify job
  template <class V>
  void fields(V& v) {
    v(1, verb);
    v(2, entity);
    v(3, where);
    v(4, settings);
    v(5, dry_run);
    v(6, expected_version);
    v(7, with_associations);
    v(8, with_deleted);
    v(9, with_coordinators);
    v(10, with_sub_accounts);
    v(11, only_defaults);
    v(12, own_limits);
    v(13, start);
    v(14, end);
    v(15, jobs);
  }
};

// One thing that was changed, or would be, in the order in which a preview lists them.
struct AccountsChange {
  AccountsVerb verb = AccountsVerb::add;
  Entity entity = Entity::account;
  Text name;                   // of the account, user, QOS, ...; of an association empty
  Text cluster;                // of an association or key
  AssociationKey association;  // of an association
  Text parent;                 // of an account's association
  std::vector<Text> accounts;  // of a coordinator: the accounts
  std::vector<std::pair<Text, Text>> settings;  // of what is added or modified, as understood
  template <class V>
  void fields(V& v) {
    v(1, verb);
    v(2, entity);
    v(3, name);
    v(4, cluster);
    v(5, association);
    v(6, parent);
    v(7, accounts);
    v(8, settings);
  }
};

// Why a command, or a part of it, cannot be.
enum class AccountsProblem : std::uint8_t {
  none,
  denied,           // the caller may not; name = what would be needed
  version_changed,  // somebody else was quicker: ask again
  unknown_key,      // name = the key
  bad_value,        // name = the key, detail = what was expected
  missing,          // name = the key that the command cannot be without
  unknown_cluster,  // name
  unknown_account,  // name; as a note: this name of several
  unknown_user,
  unknown_qos,
  unknown_wckey,
  unknown_resource,
  unknown_association,  // the account is there, but not on that cluster: name, detail = cluster
  unknown_job,
  exists,           // note: the name is there already, nothing is added for it
  same_value,       // note: nothing would change
  default_account,  // name = user, detail = account: somebody's default cannot be removed
  jobs_active,      // detail = the jobs: what they run in cannot be removed
  has_children,     // accounts below it, users in it
  is_root,          // account root, user root, QOS normal cannot be removed
  in_use,           // name, detail = why it is needed
  own_child,        // an account would become its own parent
  defined_in_file,  // name, detail = "slurm.conf:12": it is changed there
  too_many,         // detail = the bound
  not_supported,    // detail
  failed,           // the store; detail
};
constexpr AccountsProblem last_of(AccountsProblem) { return AccountsProblem::failed; }

struct AccountsNote {
  AccountsProblem problem = AccountsProblem::none;
  Entity entity = Entity::account;  // of the name
  Text name;
  std::string detail;
  template <class V>
  void fields(V& v) {
    v(1, problem);
    v(2, entity);
    v(3, name);
    v(4, detail);
  }
};

// Rows of `show`, as users see them.
struct AssociationShown {
  AssociationRow row;              // own values only, or with inherited limits (see own_limits)
  std::uint32_t lft = 0, rgt = 0;  // an association lies within its parent's
  std::uint32_t depth = 0;         // 0 = root
  std::uint32_t parent_id = 0;
  template <class V>
  void fields(V& v) {
    v(1, row);
    v(2, lft);
    v(3, rgt);
    v(4, depth);
    v(5, parent_id);
  }
};
struct ClusterShown {
  ClusterRow row;
  AssociationShown root;  // with WithAssoc or not: its root association
  template <class V>
  void fields(V& v) {
    v(1, row);
    v(2, root);
  }
};
struct AccountShown {
  AccountRow row;
  std::vector<AssociationShown> associations;  // with_associations; its own and its users'
  template <class V>
  void fields(V& v) {
    v(1, row);
    v(2, associations);
  }
};
struct UserShown {
  UserRow row;
  std::vector<std::pair<Text, Text>> default_account, default_wckey;  // cluster, name
  std::vector<Text> coordinates;                                      // accounts
  std::vector<AssociationShown> associations;
  template <class V>
  void fields(V& v) {
    v(1, row);
    v(2, default_account);
    v(3, default_wckey);
    v(4, coordinates);
    v(5, associations);
  }
};
// A node that was down or drained, or the time that a cluster had so many resources.
struct EventShown {
  Text cluster, node;  // no node: of the cluster
  Time start, end;     // no end: it goes on
  Text state, reason, user;
  Uid uid;
  Text nodes;
  TresAmounts tres;
  template <class V>
  void fields(V& v) {
    v(1, cluster);
    v(2, node);
    v(3, start);
    v(4, end);
    v(5, state);
    v(6, reason);
    v(7, user);
    v(8, uid);
    v(9, nodes);
    v(10, tres);
  }
};
// An association that makes no sense: an account without users, a user without an account.
struct ProblemShown {
  AssociationShown association;
  Text problem;
  template <class V>
  void fields(V& v) {
    v(1, association);
    v(2, problem);
  }
};
struct RunawayJobShown {
  JobId job;
  Text name, partition, cluster, state;
  Time submitted, started, ended;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, name);
    v(3, partition);
    v(4, cluster);
    v(5, state);
    v(6, submitted);
    v(7, started);
    v(8, ended);
  }
};
using AccountsRow = std::variant<ClusterShown, AccountShown, UserShown, AssociationShown, QosRow,
                                 TresRow, WckeyRow, ResourceRow, EventShown, TransactionRow,
                                 ProblemShown, RunawayJobShown, ReservationRecord, UsageRow>;

struct AccountsReply {
  std::uint64_t version = 0;            // of what the answer was made from
  bool committed = false;               // the changes are durable, and every controller is told
  std::optional<AccountsNote> refusal;  // of all of it: nothing was changed
  std::vector<AccountsNote> notes;
  std::vector<AccountsChange> changes;  // none, and no refusal: "Nothing added", "... modified"
  std::vector<AccountsRow> rows;        // of show, in printing order
  template <class V>
  void fields(V& v) {
    v(1, version);
    v(2, committed);
    v(3, refusal);
    v(4, notes);
    v(5, changes);
    v(6, rows);
  }
};

}  // namespace muster::wire
