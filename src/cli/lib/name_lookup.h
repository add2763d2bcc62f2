// Names of users and groups, each asked of the name service once.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"

namespace muster::cli {

class NameLookup {
 public:
  const std::string& user(Uid uid);  // "nobody" where nobody has that id
  const std::string& group(Gid gid);

 private:
  std::map<Uid, std::string> users_;
  std::map<Gid, std::string> groups_;
};

// A user's name or number; nothing where the name service knows neither.
std::optional<Uid> find_user(std::string_view name_or_id);
std::optional<Gid> find_group(std::string_view name_or_id);
Uid own_uid();

}  // namespace muster::cli
