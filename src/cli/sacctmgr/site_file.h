// site_file: the accounts and users of a cluster as `dump` writes and `load` reads them, and what
// has to change so that one becomes another.
#pragma once

#include <expected>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/sacctmgr/session.h"

namespace muster::cli {

enum class EntryKind : std::uint8_t { cluster, account, user };

// A line of the file. Settings have the full word as key and a value that a preview would show.
struct SiteEntry {
  EntryKind kind = EntryKind::account;
  std::string name, parent;  // parent: the account that it is in
  std::string partition;
  std::map<std::string, std::string> settings;
};

struct SiteFile {
  std::string cluster;
  bool is_known = false;  // the cluster exists
  std::vector<SiteEntry> entries;
};

// What is there now; nothing where the server does not answer, which has been said then.
std::optional<SiteFile> fetch_site(SiteSession& session, std::string_view cluster);

std::string site_file_text(const SiteFile& file);
// The error names the line.
std::expected<SiteFile, std::string> parse_site_file(std::string_view text);

// A change that loading makes.
struct LoadStep {
  wire::AccountsRequest request;
  std::string text;  // for people, whole lines
};
// `clean`: what the file does not have goes.
std::vector<LoadStep> load_steps(const SiteFile& now, const SiteFile& wanted, bool clean);

}  // namespace muster::cli
