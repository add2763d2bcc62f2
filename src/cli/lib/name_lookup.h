// Names of users and groups, each looked up once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/ids.h"

namespace muster::cli {

class NameLookup {
 public:
  // How to show an id that has no name.
  enum class Unknown : std::uint8_t { nobody, number };
  explicit NameLookup(Unknown unknown = Unknown::nobody) : unknown_(unknown) {}

  const std::string& user(Uid uid) const;
  const std::string& group(Gid gid) const;
  // For a name that is already known.
  void know(Uid uid, std::string name) { users_[uid] = std::move(name); }
  void know(Gid gid, std::string name) { groups_[gid] = std::move(name); }

 private:
  Unknown unknown_;
  mutable std::map<Uid, std::string> users_;
  mutable std::map<Gid, std::string> groups_;
};

// A user by name or number; nothing if the name service knows neither.
std::optional<Uid> find_user(std::string_view name_or_id);
std::optional<Gid> find_group(std::string_view name_or_id);
Uid own_uid();

}  // namespace muster::cli
