// Reads and writes the file.
#include "cli/sacctmgr/site_file.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/strings.h"
#include "cli/sacctmgr/values.h"

namespace muster::cli {

namespace {

using Settings = std::map<std::string, std::string>;

constexpr std::size_t kMostLines = 1'000'000;

bool is_plain(std::string_view key) {  // without quotes
  return key != "Description" && key != "Organization" && key != "QOS" && key != "DefaultQOS" &&
         key != "DefaultAccount" && key != "DefaultWCKey" && key != "WCKeys" &&
         key != "AdminLevel" && key != "Coordinator";
}

// Both kinds of quotes end a value.
std::string quotable(std::string_view value) {
  std::string text(value);
  std::ranges::replace(text, '\'', '`');
  std::ranges::replace(text, '"', '`');
  return text;
}

void append_entry(const SiteEntry& entry, std::string_view title, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{} - '{}'", title, quotable(entry.name));
  if (!entry.partition.empty())
    fmt::format_to(std::back_inserter(out), ":Partition='{}'", quotable(entry.partition));
  for (const auto& [key, value] : entry.settings)
    if (is_plain(key))
      fmt::format_to(std::back_inserter(out), ":{}={}", key, value);
    else
      fmt::format_to(std::back_inserter(out), ":{}='{}'", key, quotable(value));
  out += '\n';
}

// At colons that are not within quotes. A time has colons, too: a part that begins with a digit
// belongs to the one before.
std::vector<std::string> split_fields(std::string_view line) {
  std::vector<std::string> fields(1);
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        fields.back() += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == ':' && !(i + 1 < line.size() && line[i + 1] >= '0' && line[i + 1] <= '9')) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

class Parser {
 public:
  std::expected<SiteFile, std::string> parse(std::string_view text) {
    for (std::string_view line : split(text, '\n')) {
      ++number_;
      line = trim(line);
      if (line.empty() || line.starts_with('#')) continue;
      if (number_ > kMostLines) return fault("the file is too long");
      if (auto done = parse_line(line); !done) return std::unexpected(done.error());
    }
    if (file_.cluster.empty()) return fault("no line \"Cluster - 'name'\"");
    return std::move(file_);
  }

 private:
  std::unexpected<std::string> fault(std::string_view what) const {
    return std::unexpected(fmt::format(" error: line {}: {}\n", number_, what));
  }

  std::expected<void, std::string> parse_line(std::string_view line) {
    const auto dash = line.find(" - ");
    if (dash == line.npos) return fault("expected a title, \" - \" and a name");
    const std::string title = lower(trim(line.substr(0, dash)));
    std::vector<std::string> fields = split_fields(trim(line.substr(dash + 3)));
    const std::string name = lower(trim(fields.front()));
    if (name.empty()) return fault("no name");
    if (title == "parent") {
      const bool known =
          name == kRootAccount || std::ranges::any_of(file_.entries, [&](const SiteEntry& entry) {
            return entry.kind == EntryKind::account && entry.name == name;
          });
      if (!known) return fault(fmt::format("parent {} has to be there before", name));
      parent_ = name;
      return {};
    }
    SiteEntry entry{.name = name, .parent = parent_};
    if (title == "cluster" || title == "machine") {
      entry.kind = EntryKind::cluster;
      entry.parent.clear();
      file_.cluster = name;
    } else if (title == "user") {
      entry.kind = EntryKind::user;
    } else if (title != "account" && title != "project") {
      return fault(fmt::format("unknown title {}", title));
    }
    for (const std::string& field : std::span(fields).subspan(1))
      if (auto done = parse_setting(field, entry); !done) return done;
    file_.entries.push_back(std::move(entry));
    return {};
  }

  std::expected<void, std::string> parse_setting(const std::string& field, SiteEntry& entry) {
    const auto equals = field.find('=');
    if (equals == field.npos) return fault(fmt::format("no value: {}", field));
    std::string key = field.substr(0, equals);
    while (key.ends_with('+') || key.ends_with('-')) key.pop_back();
    std::string value = field.substr(equals + 1);
    if (iequals(key, "Partition")) {
      entry.partition = value;
      return {};
    }
    if (is_short_for(key, "Coordinators", 2)) {
      entry.settings["Coordinator"] = value;
      return {};
    }
    const SiteKey* row = find_site_key(settings_of(entity_of(entry.kind)), key);
    if (!row) return fault(fmt::format("unknown setting {}", key));
    if (row->key == "Fairshare" && value == "2147483647") value = "parent";
    if (row->key == "DefaultAccount" && value == "(null)") return {};
    auto checked = check_value(*row, field, value);
    if (!checked) return fault(fmt::format("bad value: {}", field));
    entry.settings[std::string(row->key == "WCKey" ? "WCKeys" : row->key)] =
        row->kind == ValueKind::resource ? checked->sent : checked->shown;
    return {};
  }

  static wire::Entity entity_of(EntryKind kind) {
    switch (kind) {
      case EntryKind::cluster:
        return wire::Entity::cluster;
      case EntryKind::account:
        return wire::Entity::account;
      case EntryKind::user:
        return wire::Entity::user;
    }
    return wire::Entity::account;
  }

  SiteFile file_;
  std::string parent_{kRootAccount};
  std::size_t number_ = 0;
};

void append_below(const SiteFile& file, std::string_view parent, std::size_t depth,
                  std::string& out) {
  std::vector<const SiteEntry*> below;
  for (const SiteEntry& entry : file.entries)
    if (entry.kind != EntryKind::cluster && entry.parent == parent) below.push_back(&entry);
  if (below.empty() || depth > file.entries.size()) return;
  fmt::format_to(std::back_inserter(out), "Parent - '{}'\n", quotable(parent));
  for (const SiteEntry* entry : below)
    append_entry(*entry, entry->kind == EntryKind::user ? "User" : "Account", out);
  for (const SiteEntry* entry : below)
    if (entry->kind == EntryKind::account) append_below(file, entry->name, depth + 1, out);
}

}  // namespace

std::string site_file_text(const SiteFile& file) {
  std::string out;
  for (const SiteEntry& entry : file.entries)
    if (entry.kind == EntryKind::cluster) append_entry(entry, "Cluster", out);
  append_below(file, kRootAccount, 0, out);
  return out;
}

std::expected<SiteFile, std::string> parse_site_file(std::string_view text) {
  return Parser().parse(text);
}

}  // namespace muster::cli
