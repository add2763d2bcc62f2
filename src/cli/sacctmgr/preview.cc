// Previews in the layout of the reference: blocks of names, then the settings in a fixed order.
#include "cli/sacctmgr/preview.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/sacctmgr/preview_labels.h"

namespace muster::cli {

namespace {

using wire::AccountsChange;
using wire::AccountsVerb;
using wire::Entity;

class Preview {
 public:
  Preview(const SiteLine& line, const wire::AccountsReply& reply) : line_(line), reply_(reply) {}

  std::string text() {
    switch (line_.command) {
      case SiteCommand::add:
        added();
        break;
      case SiteCommand::modify:
        modified();
        break;
      default:
        removed();
        break;
    }
    return std::move(out_);
  }

 private:
  std::vector<const AccountsChange*> of(AccountsVerb verb, Entity entity) const {
    std::vector<const AccountsChange*> found;
    for (const AccountsChange& change : reply_.changes)
      if (change.verb == verb && change.entity == entity) found.push_back(&change);
    return found;
  }
  template <class... A>
  void put(fmt::format_string<A...> format, A&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<A>(args)...);
  }
  bool names(AccountsVerb verb, Entity entity, std::string_view title) {
    const auto changes = of(verb, entity);
    if (changes.empty()) return false;
    put(" {}\n", title);
    for (const AccountsChange* change : changes) put("  {}\n", change->name.view());
    return true;
  }
  void setting(std::string_view label, int width, std::string_view value) {
    put("  {:<{}}= {}\n", label, width, value);
  }
  void given(std::string_view key, std::string_view label, int width) {
    if (const std::string* value = line_.shown_value(key)) setting(label, width, *value);
  }
  template <std::size_t N>
  void given(const SettingLabel (&labels)[N]) {
    for (const SettingLabel& row : labels) given(row.key, row.label, row.width);
  }

  // --- add ---
  void added() {
    switch (line_.request.entity) {
      case Entity::account:
        return added_accounts();
      case Entity::user:
        return added_users();
      case Entity::qos:
        return added_qos();
      case Entity::cluster:
        return added_clusters();
      case Entity::coordinator:
        return added_coordinators();
      case Entity::resource:
        return added_resources();
      default:
        return;
    }
  }

  void added_accounts() {
    if (names(AccountsVerb::add, Entity::account, "Adding Account(s)")) {
      const std::string* description = line_.shown_value("Description");
      const std::string* organization = line_.shown_value("Organization");
      put(" Settings\n");
      setting("Description", 16, description ? *description : "Account Name");
      setting("Organization", 16, organization ? *organization : "Parent/Account Name");
    }
    const auto associations = of(AccountsVerb::add, Entity::association);
    if (associations.empty()) return;
    put(" Associations\n");
    for (const AccountsChange* change : associations)
      put("  A = {:<10.10} C = {:<10.10}\n", change->association.account.view(),
          change->cluster.view());
    if (line_.shown.empty()) return;
    put(" Settings\n");
    for (const SettingLabel& row : kAssociationLabels)
      if (row.key == "Parent" && !line_.shown_value("Parent"))
        setting("Parent", row.width, kRootAccount);
      else
        given(row.key, row.label, row.width);
  }

  void added_users() {
    if (names(AccountsVerb::add, Entity::user, "Adding User(s)")) {
      const bool any = line_.shown_value("DefaultAccount") || line_.shown_value("DefaultWCKey") ||
                       line_.shown_value("AdminLevel");
      if (any) put(" Settings =\n");
      given("DefaultAccount", "Default Account", 16);
      given("DefaultWCKey", "Default WCKey", 16);
      given("AdminLevel", "Admin Level", 16);
    }
    const auto associations = of(AccountsVerb::add, Entity::association);
    if (!associations.empty()) put(" Associations =\n");
    for (const AccountsChange* change : associations) {
      const AssociationKey& key = change->association;
      put("  U = {:<9.9} A = {:<10.10} C = {:<10.10}", key.user.view(), key.account.view(),
          change->cluster.view());
      if (!key.partition.empty()) put(" P = {:<10.10}", key.partition.view());
      put("\n");
    }
    const auto keys = of(AccountsVerb::add, Entity::wckey);
    if (!keys.empty()) put(" WCKeys =\n");
    for (const AccountsChange* change : keys)
      put("  U = {:<9.9} W = {:<10.10} C = {:<10.10}\n", change->association.user.view(),
          change->name.view(), change->cluster.view());
    if (associations.empty()) return;
    put(" Non Default Settings\n");
    given(kAssociationLabels);
  }

  void added_qos() {
    if (!names(AccountsVerb::add, Entity::qos, "Adding QOS(s)")) return;
    put(" Settings\n");
    const std::string* description = line_.shown_value("Description");
    setting("Description", 15,
            description ? std::string_view(*description)
                        : of(AccountsVerb::add, Entity::qos).back()->name.view());
    given(kQosLabels);
  }

  void added_clusters() {
    const auto changes = of(AccountsVerb::add, Entity::cluster);
    if (changes.empty()) return;
    put(" Adding Cluster(s)\n");
    for (const AccountsChange* change : changes) setting("Name", 15, change->name.view());
    cluster_settings();
  }
  void cluster_settings() {
    if (line_.shown.empty()) return;
    put(" Setting\n");
    given("Classification", "Classification", 15);
    given("Features", "Features", 15);
    const bool has_limits = std::ranges::any_of(kAssociationLabels, [&](const SettingLabel& row) {
      return line_.shown_value(row.key) != nullptr;
    });
    if (!has_limits) return;
    put("  Default Limits:\n");
    given(kAssociationLabels);
  }

  void added_coordinators() {
    if (!names(AccountsVerb::add, Entity::coordinator, "Adding Coordinator User(s)")) return;
    put(" To Account(s) and all sub-accounts\n");
    for (const Text& account : line_.names("Account")) put("  {}\n", account.view());
  }

  void added_resources() {
    const auto changes = of(AccountsVerb::add, Entity::resource);
    if (changes.empty()) return;
    put(" Adding Resource(s)\n");
    for (const AccountsChange* change : changes) {
      put("  {}\n", change->name.view());
      if (!change->cluster.empty()) put("   Cluster - {}\n", change->cluster.view());
    }
    put(" Settings\n");
    for (const Text& server : line_.names("Server")) setting("Server", 15, server.view());
    given("Description", "Description", 15);
    given("ServerType", "ServerType", 15);
    given("Count", "Count", 15);
    given("PercentAllowed", "PercentAllowed", 15);
    given("Type", "Type", 15);
  }

  // --- modify ---
  void modified() {
    switch (line_.request.entity) {
      case Entity::account:
        names(AccountsVerb::modify, Entity::account, "Modified accounts...");
        return associations(AccountsVerb::modify, "Modified account associations...");
      case Entity::user:
        names(AccountsVerb::modify, Entity::user, "Modified users...");
        return associations(AccountsVerb::modify, "Modified user associations...");
      case Entity::qos:
        names(AccountsVerb::modify, Entity::qos, "Modified qos...");
        return;
      case Entity::cluster:
        cluster_settings();
        names(AccountsVerb::modify, Entity::cluster, "Modified clusters...");
        return associations(AccountsVerb::modify, "Modified cluster defaults for associations...");
      case Entity::resource:
        return resources(AccountsVerb::modify, "Modified server resource ...");
      default:
        return;
    }
  }

  void associations(AccountsVerb verb, std::string_view title) {
    const auto changes = of(verb, Entity::association);
    if (changes.empty()) return;
    put(" {}\n", title);
    for (const AccountsChange* change : changes) {
      const AssociationKey& key = change->association;
      const bool removes = verb == AccountsVerb::remove;
      put("  C = {:<10.10} A = ", change->cluster.view());
      if (key.user.empty()) {
        put("{}", key.account.view());
        if (key.account != kRootAccount)
          put(" of {}", change->parent.empty() ? kRootAccount : change->parent.view());
      } else {
        put("{:<{}} U = {:<9}", key.account.view(), removes ? 10 : 20, key.user.view());
        if (!key.partition.empty()) put(" P = {}", key.partition.view());
      }
      put("\n");
    }
  }

  void resources(AccountsVerb verb, std::string_view title) {
    const auto changes = of(verb, Entity::resource);
    if (changes.empty()) return;
    put(" {}\n", title);
    for (const AccountsChange* change : changes)
      if (change->cluster.empty())
        put("  {}\n", change->name.view());
      else
        put("  Cluster - {}\t- {}\n", change->cluster.view(), change->name.view());
  }

  // --- remove ---
  bool names_places() const {
    return line_.has_condition("Account") || line_.has_condition("Cluster") ||
           line_.has_condition("Partition") || line_.has_condition("Parent");
  }

  void removed() {
    switch (line_.request.entity) {
      case Entity::account:
        if (names_places())
          return associations(AccountsVerb::remove, "Deleting account associations...");
        names(AccountsVerb::remove, Entity::account, "Deleting accounts...");
        return;
      case Entity::user:
        return removed_users();
      case Entity::qos:
        names(AccountsVerb::remove, Entity::qos, "Deleting QOS(s)...");
        return;
      case Entity::cluster:
        names(AccountsVerb::remove, Entity::cluster, "Deleting clusters...");
        return;
      case Entity::coordinator:
        return removed_coordinators();
      case Entity::resource:
        return resources(AccountsVerb::remove, "Deleting resource(s)...");
      default:
        return;
    }
  }

  void removed_users() {
    if (!names_places()) {
      names(AccountsVerb::remove, Entity::user, "Deleting users...");
      return;
    }
    associations(AccountsVerb::remove, "Deleting user associations...");
    names(AccountsVerb::remove, Entity::user, "Deleting users (No Associations)...");
  }

  void removed_coordinators() {
    const auto changes = of(AccountsVerb::remove, Entity::coordinator);
    if (changes.empty()) return;
    const auto users = line_.names("Name"), accounts = line_.names("Account");
    if (users.empty()) {
      put(" Removing all users from Accounts\n");
    } else {
      put(" Removing Coordinators with user name\n");
      for (const Text& user : users) put("  {}\n", user.view());
      put("{}\n", accounts.empty() ? " From all accounts" : " From Account(s)");
    }
    for (const Text& account : accounts) put("  {}\n", account.view());
    put(" Removed Coordinators (sub accounts not listed)...\n");
    for (const AccountsChange* change : changes)
      for (const Text& account : change->accounts)
        put("  U = {:<9} A = {:<10}\n", change->name.view(), account.view());
  }

  const SiteLine& line_;
  const wire::AccountsReply& reply_;
  std::string out_;
};

}  // namespace

std::string preview_text(const SiteLine& line, const wire::AccountsReply& reply) {
  return Preview(line, reply).text();
}

std::string_view nothing_text(SiteCommand command) {
  switch (command) {
    case SiteCommand::add:
      return " Nothing new added.\n";
    case SiteCommand::modify:
      return " Nothing modified\n";
    default:
      return " Nothing deleted\n";
  }
}

}  // namespace muster::cli
