// site_line: one line of sacctmgr for an entity, read: what is asked of the server, and how the
// answer is to be shown.
#pragma once

#include <expected>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "cli/sacctmgr/words.h"
#include "wire/accounts.h"

namespace muster::cli {

// A setting as a preview shows it.
struct ShownSetting {
  std::string key, value;
  std::string typed;  // "qos=high"
};

struct SiteLine {
  SiteCommand command = SiteCommand::show;
  Special special = Special::none;
  wire::AccountsRequest request;
  std::vector<ShownSetting> shown;  // each key once
  std::string format;
  std::set<ShowFlag> flags;
  bool has_settings_word = false;  // "set" was there

  bool has(ShowFlag flag) const { return flags.contains(flag); }
  bool has_condition(std::string_view key) const;
  std::vector<Text> names(std::string_view key) const;
  const std::string* shown_value(std::string_view key) const;
  // What is said of a setting that cannot be.
  std::string unknown_option(std::string_view typed) const;
};

// The words after the command's own: an entity, then conditions and settings in any order. The
// error is what to print.
std::expected<SiteLine, std::string> read_site_line(SiteCommand command,
                                                    std::span<const std::string> words, Time now);

}  // namespace muster::cli
