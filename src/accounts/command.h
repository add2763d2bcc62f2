// command: what the verbs of a command share: who asks for what, and the draft that they change.
#pragma once

#include <set>
#include <vector>

#include "accounts/draft.h"
#include "accounts/rights.h"
#include "accounts/words.h"
#include "base/ids.h"
#include "base/time.h"

namespace muster::accounts {

// What a site cannot know of itself: what happens on its clusters.
class Surroundings {
 public:
  virtual ~Surroundings() = default;
  // Jobs that wait or run in one of these associations. Not all, where there are many.
  virtual std::vector<JobId> jobs_in(const Text& cluster,
                                     const std::set<AssociationKey>& associations) = 0;
  // Why the cluster cannot be removed; empty = it can.
  virtual std::string needs_cluster(const Text& cluster) = 0;
};

struct Command {
  const wire::AccountsRequest& request;
  const Actor& actor;
  Draft& draft;
  Surroundings& around;
  Time now;
  Where where{request.where};

  const Site& site() const { return draft.site(); }
  const wire::Setting* setting(std::string_view key) const { return find_setting(request, key); }
  std::string value(std::string_view key) const {
    const wire::Setting* found = setting(key);
    return found ? found->value : std::string();
  }
  void note(wire::AccountsProblem problem, wire::Entity entity, Text name,
            std::string detail = {}) const {
    draft.note({problem, entity, std::move(name), std::move(detail)});
  }
  // A change of a row that has a name.
  void tell(wire::AccountsVerb verb, wire::Entity entity, Text name,
            std::vector<std::pair<Text, Text>> settings = {}) const {
    draft.tell(
        {.verb = verb, .entity = entity, .name = std::move(name), .settings = std::move(settings)});
  }
};

// The clusters that the command is about: those it names, which must exist, or all.
Outcome<std::vector<Text>> clusters_of(const Command& command);
// The names that it is about; it has to have some.
Outcome<std::vector<Text>> names_of(const Command& command);

// Notes those of the names that are not there.
void note_unknown(const Command& command, wire::Entity entity);

// The settings of the command, as they are told; of limits of associations none.
std::vector<std::pair<Text, Text>> told_settings(const Command& command,
                                                 std::span<const std::string_view> keys);

// --- the verbs ---
Outcome<> add_clusters(const Command& command);
Outcome<> modify_clusters(const Command& command);
Outcome<> remove_clusters(const Command& command);
Outcome<> add_accounts(const Command& command);
Outcome<> modify_accounts(const Command& command);
Outcome<> remove_accounts(const Command& command);
Outcome<> add_users(const Command& command);
Outcome<> modify_users(const Command& command);
Outcome<> remove_users(const Command& command);
Outcome<> add_coordinators(const Command& command);
Outcome<> remove_coordinators(const Command& command);
Outcome<> add_qos(const Command& command);
Outcome<> modify_qos(const Command& command);
Outcome<> remove_qos(const Command& command);
Outcome<> add_resources(const Command& command);
Outcome<> modify_resources(const Command& command);
Outcome<> remove_resources(const Command& command);

}  // namespace muster::accounts
