// load: makes the accounts and users of a cluster those of a file.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "base/text/strings.h"
#include "cli/sacctmgr/problems.h"
#include "cli/sacctmgr/site_file.h"
#include "cli/sacctmgr/words.h"

namespace muster::cli {

namespace {

using wire::AccountsVerb;
using wire::Entity;

constexpr std::size_t kMostBytes = 256U << 20;

struct LoadWords {
  std::string file, cluster;
  bool clean = false;
};

std::optional<LoadWords> read_load_words(SiteSession& session, SiteWords words) {
  LoadWords read;
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    const std::string_view key = std::string_view(word).substr(0, equals);
    if (equals == word.npos && is_short_for(word, "clean", 3)) {
      read.clean = true;
    } else if (equals == word.npos || is_short_for(key, "file", 1)) {
      if (!read.file.empty()) {
        session.fail(fmt::format(" File name given already: {}\n", read.file));
        return std::nullopt;
      }
      read.file = equals == word.npos ? word : word.substr(equals + 1);
    } else if (is_short_for(key, "clusters", 3)) {
      read.cluster = lower(word.substr(equals + 1));
    } else {
      session.fail(fmt::format(" Unknown option: {}\n", word));
      return std::nullopt;
    }
  }
  if (read.file.empty()) {
    session.fail(" No filename given, specify one with file=''\n");
    return std::nullopt;
  }
  return read;
}

std::optional<std::string> read_whole(SiteSession& session, const std::string& name) {
  std::FILE* file = std::fopen(name.c_str(), "re");
  if (!file) {
    session.fail(fmt::format(" Unable to read \"{}\": {}\n", name, std::strerror(errno)));
    return std::nullopt;
  }
  std::string text;
  char bytes[65536];
  while (const std::size_t size = std::fread(bytes, 1, sizeof bytes, file)) {
    text.append(bytes, size);
    if (text.size() > kMostBytes) break;
  }
  std::fclose(file);
  if (text.size() <= kMostBytes) return text;
  session.fail(fmt::format(" \"{}\" is too large\n", name));
  return std::nullopt;
}

// --- the difference ---
using Place = std::tuple<EntryKind, std::string, std::string, std::string>;

Place place_of(const SiteEntry& entry) {
  if (entry.kind == EntryKind::user) return {entry.kind, entry.name, entry.parent, entry.partition};
  return {entry.kind, entry.kind == EntryKind::cluster ? std::string() : entry.name, {}, {}};
}

bool is_of_row(std::string_view key) {  // of the account or user itself, not of the association
  for (std::string_view own : {"Description", "Organization", "DefaultAccount", "DefaultWCKey",
                               "AdminLevel", "WCKeys", "Coordinator", "Classification", "Features"})
    if (key == own) return true;
  return false;
}

class Difference {
 public:
  Difference(const SiteFile& now, const SiteFile& wanted, bool clean)
      : now_(now), wanted_(wanted), clean_(clean) {
    for (const SiteEntry& entry : now.entries) there_[place_of(entry)] = &entry;
  }

  std::vector<LoadStep> steps() {
    if (!now_.is_known)
      step(AccountsVerb::add, Entity::cluster, {{"Name", wanted_.cluster}},
           fmt::format(" Adding cluster {}\n", wanted_.cluster));
    for (const SiteEntry& entry : wanted_.entries) {
      wanted_places_.insert(place_of(entry));
      auto found = there_.find(place_of(entry));
      if (found == there_.end() && entry.kind != EntryKind::cluster)
        add(entry);
      else
        change(entry, found == there_.end() ? SiteEntry{} : *found->second);
    }
    if (clean_) remove_others();
    return std::move(steps_);
  }

 private:
  using Conditions = std::vector<std::pair<std::string_view, std::string>>;

  LoadStep& step(AccountsVerb verb, Entity entity, const Conditions& where, std::string text) {
    LoadStep& made = steps_.emplace_back();
    made.request.verb = verb;
    made.request.entity = entity;
    for (const auto& [key, value] : where)
      if (!value.empty()) made.request.where.push_back({Text(key), {Text(value)}});
    made.text = std::move(text);
    return made;
  }
  static void set(LoadStep& made, const std::string& key, const std::string& value) {
    if (key == "QOS" && (value.starts_with('+') || value.starts_with('-')))
      return set_differences(made, value);
    const std::string_view sent_key = key == "WCKeys" ? std::string_view("WCKey") : key;
    made.request.settings.push_back(
        {Text(sent_key), wire::SetHow::set, value == "NONE" ? std::string("-1") : value});
  }
  // "+high,-low": the reference writes what differs from the account above.
  static void set_differences(LoadStep& made, std::string_view value) {
    for (std::string_view name : split(value, ',')) {
      const bool removes = name.starts_with('-');
      if (removes || name.starts_with('+')) name.remove_prefix(1);
      made.request.settings.push_back(
          {"QOS", removes ? wire::SetHow::remove : wire::SetHow::add, std::string(name)});
    }
  }

  void coordinate(const SiteEntry& entry, std::string_view accounts) {
    if (accounts.empty()) return;
    LoadStep& made = step(AccountsVerb::add, Entity::coordinator, {{"Name", entry.name}},
                          fmt::format(" Making {} a coordinator of {}\n", entry.name, accounts));
    wire::Condition condition{"Account", {}};
    for (std::string_view account : split(accounts, ',')) condition.values.emplace_back(account);
    made.request.where.push_back(std::move(condition));
    // The accounts may come later in the file.
    coordinators_.push_back(std::move(made));
    steps_.pop_back();
  }

  void add(const SiteEntry& entry) {
    const bool is_user = entry.kind == EntryKind::user;
    Conditions where{{"Name", entry.name}, {"Cluster", wanted_.cluster}};
    if (is_user) {
      where.emplace_back("Account", entry.parent);
      where.emplace_back("Partition", entry.partition);
    }
    std::string text =
        is_user ? fmt::format(" Adding user    {:<10} to account {}\n", entry.name, entry.parent)
                : fmt::format(" Adding account {:<10} below {}\n", entry.name, entry.parent);
    LoadStep& made =
        step(AccountsVerb::add, is_user ? Entity::user : Entity::account, where, std::move(text));
    if (!is_user) set(made, "Parent", entry.parent);
    std::string coordinates;
    for (const auto& [key, value] : entry.settings)
      if (key == "Coordinator")
        coordinates = value;
      else if (key == "DefaultAccount" && value != entry.parent)
        continue;  // its own line sets it
      else
        set(made, key, value);
    coordinate(entry, coordinates);
  }

  void change(const SiteEntry& entry, const SiteEntry& old) {
    const Entity entity = entry.kind == EntryKind::user      ? Entity::user
                          : entry.kind == EntryKind::account ? Entity::account
                                                             : Entity::cluster;
    std::vector<std::pair<std::string, std::string>> row, association;
    std::string text_row, text_association;
    auto differ = [&](const std::string& key, const std::string& from, const std::string& to) {
      if (key == "Coordinator") return coordinate(entry, to);
      std::string line = fmt::format(" Changed {:<21} for {:<7} {:<10} {:>8} -> {}\n", key,
                                     entity == Entity::user      ? "User"
                                     : entity == Entity::account ? "Account"
                                                                 : "Cluster",
                                     entry.name, from.empty() ? "-1" : from, to);
      (is_of_row(key) ? row : association).emplace_back(key, to);
      (is_of_row(key) ? text_row : text_association) += line;
    };
    for (const auto& [key, value] : entry.settings) {
      auto at = old.settings.find(key);
      const std::string from = at == old.settings.end() ? std::string() : at->second;
      if (from != value) differ(key, from, value);
    }
    if (clean_)
      for (const auto& [key, value] : old.settings)
        if (!entry.settings.contains(key) && !is_of_row(key) && key != "Fairshare")
          differ(key, value, "NONE");
    if (entity == Entity::account && !old.parent.empty() && old.parent != entry.parent)
      differ("Parent", old.parent, entry.parent);
    Conditions where{{"Name", entry.kind == EntryKind::cluster ? wanted_.cluster : entry.name}};
    if (!row.empty()) {
      LoadStep& made = step(AccountsVerb::modify, entity, where, std::move(text_row));
      for (const auto& [key, value] : row) set(made, key, value);
    }
    if (association.empty()) return;
    if (entity != Entity::cluster) where.emplace_back("Cluster", wanted_.cluster);
    if (entity == Entity::user) {
      where.emplace_back("Account", entry.parent);
      where.emplace_back("Partition", entry.partition);
    }
    LoadStep& made = step(AccountsVerb::modify, entity, where, std::move(text_association));
    for (const auto& [key, value] : association) set(made, key, value);
  }

  void remove_others() {
    // Users first: an account with users in it may be somebody's default.
    for (const EntryKind kind : {EntryKind::user, EntryKind::account})
      for (const SiteEntry& entry : now_.entries) {
        if (entry.kind != kind || wanted_places_.contains(place_of(entry))) continue;
        Conditions where{{"Name", entry.name}, {"Cluster", wanted_.cluster}};
        if (kind == EntryKind::user) {
          if (entry.name == kRootAccount) continue;
          where.emplace_back("Account", entry.parent);
          where.emplace_back("Partition", entry.partition);
        }
        step(AccountsVerb::remove, kind == EntryKind::user ? Entity::user : Entity::account, where,
             fmt::format(" Removing {:<7} {:<10} from {}\n",
                         kind == EntryKind::user ? "user" : "account", entry.name, entry.parent));
      }
  }

 public:
  std::vector<LoadStep> coordinators() { return std::move(coordinators_); }

 private:
  const SiteFile &now_, &wanted_;
  bool clean_;
  std::map<Place, const SiteEntry*> there_;
  std::set<Place> wanted_places_;
  std::vector<LoadStep> steps_, coordinators_;
};

// False where the server refused it, which has been said then.
bool take(SiteSession& session, const LoadStep& step) {
  auto reply = session.ask(step.request);
  if (!reply) return false;
  if (!reply->refusal) return true;
  SiteLine line;
  line.request = step.request;
  line.command = step.request.verb == AccountsVerb::add      ? SiteCommand::add
                 : step.request.verb == AccountsVerb::modify ? SiteCommand::modify
                                                             : SiteCommand::remove;
  session.fail(step.text + refusal_text(line, *reply->refusal, {.cluster = session.own_cluster()}));
  return false;
}

}  // namespace

std::vector<LoadStep> load_steps(const SiteFile& now, const SiteFile& wanted, bool clean) {
  Difference difference(now, wanted, clean);
  std::vector<LoadStep> steps = difference.steps();
  for (LoadStep& step : difference.coordinators()) steps.push_back(std::move(step));
  return steps;
}

void load_site(SiteSession& session, SiteWords words) {
  if (session.read_only) return session.fail("Can't run this command in readonly mode.\n");
  const auto given = read_load_words(session, words);
  if (!given) return;
  const auto text = read_whole(session, given->file);
  if (!text) return;
  auto wanted = parse_site_file(*text);
  if (!wanted) return session.fail(wanted.error());
  if (!given->cluster.empty()) wanted->cluster = given->cluster;
  const auto now = fetch_site(session, wanted->cluster);
  if (!now) return;
  fmt::print("For cluster {}\n", wanted->cluster);
  const std::vector<LoadStep> steps = load_steps(*now, *wanted, given->clean);
  for (const LoadStep& step : steps) fmt::print("{}", step.text);
  if (steps.empty()) {
    fmt::print(" Nothing new added.\n");
    return;
  }
  if (!agrees(session, kCommitQuestion)) {
    fmt::print(" Changes Discarded\n");
    return;
  }
  for (const LoadStep& step : steps)
    if (!take(session, step)) return;
}

}  // namespace muster::cli
