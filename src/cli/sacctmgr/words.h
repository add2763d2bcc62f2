// words: what the words of sacctmgr's command line mean: commands, entities, and the keys of
// conditions and settings, each of which may be cut short as far as the reference lets it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "wire/accounts.h"

namespace muster::cli {

enum class SiteCommand : std::uint8_t {
  none,
  associations,
  add,
  archive,
  clear,
  modify,
  remove,
  dump,
  help,
  show,
  load,
  ping,
  quiet,
  quit,
  read_only,
  reconfigure,
  shutdown,
  verbose,
  version,
  one_line,
};
SiteCommand find_site_command(std::string_view word);

// What a value has to look like, and how a preview shows it.
enum class ValueKind : std::uint8_t {
  text,
  names,     // a list
  count,     // a number; -1 = none
  number,    // a number; "none" is 0
  shares,    // a number or "parent"
  amounts,   // "cpu=4,gres/gpu=2"
  resource,  // the number of one resource: GrpCPUs=4
  limit,     // a time in minutes, hours and days
  real,
  admin_level,
  upper,  // a word that is shown in capitals
  // Conditions that are not the server's:
  fields,  // Format
  start,
  end,
  on,  // a word without a value
};

// Words that change what is shown.
enum class ShowFlag : std::uint8_t {
  none,
  tree,
  with_associations,
  with_coordinators,
  with_deleted,
  with_sub_accounts,
  only_defaults,
  own_limits,   // WOPLimits
  no_limits,    // WOLimits
  no_parents,   // WOPInfo
  raw_qos,      // the names as they are set
  federation,   // WithFed
  of_clusters,  // WithClusters
  all_clusters,
  all_time,
};

struct SiteKey {
  std::string_view word;
  std::uint8_t least = 1;  // letters
  std::string_view key;    // the server's; of `resource` kind the limit that it is a part of
  ValueKind kind = ValueKind::names;
  ShowFlag flag = ShowFlag::none;
  std::string_view resource = {};  // "cpu"
};

// What a server is not asked for in the same way, or not at all.
enum class Special : std::uint8_t { none, configuration, federation, statistics };

struct SiteEntity {
  std::string_view word;
  wire::Entity entity = wire::Entity::account;
  // Letters that a command needs; 0: the command does not know the entity.
  std::uint8_t show = 0, add = 0, modify = 0, remove = 0;
  Special special = Special::none;
};
// Null where no entity of this command begins so.
const SiteEntity* find_site_entity(SiteCommand command, std::string_view word);

std::span<const SiteKey> conditions_of(wire::Entity entity);
std::span<const SiteKey> settings_of(wire::Entity entity);
// What a word without "=" is a value of: the name, mostly.
std::string_view bare_key(wire::Entity entity);
const SiteKey* find_site_key(std::span<const SiteKey> keys, std::string_view word);

// A word is `name` or its beginning, of at least so many letters.
bool is_short_for(std::string_view word, std::string_view name, std::size_t least);

}  // namespace muster::cli
