// Calls getpwuid_r, getgrouplist and their relatives.
#include "io/users.h"

#include <grp.h>
#include <pwd.h>

namespace muster::io {

std::vector<Gid> user_groups(const std::string& name, Gid primary) {
  int count = 64;
  std::vector<gid_t> found(static_cast<std::size_t>(count));
  while (getgrouplist(name.c_str(), primary.value, found.data(), &count) < 0)
    found.resize(static_cast<std::size_t>(count));
  std::vector<Gid> groups;
  for (int i = 0; i < count; ++i) groups.push_back(Gid{found[static_cast<std::size_t>(i)]});
  return groups;
}

std::vector<std::string> group_names(Uid user) {
  std::vector<std::string> names;
  passwd entry{}, *found = nullptr;
  std::string buffer(16384, '\0');
  if (getpwuid_r(user.value, &entry, buffer.data(), buffer.size(), &found) != 0 || !found)
    return names;
  for (Gid gid : user_groups(entry.pw_name, Gid{entry.pw_gid})) {
    group group_entry{}, *group_found = nullptr;
    std::string group_buffer(65536, '\0');
    if (getgrgid_r(gid.value, &group_entry, group_buffer.data(), group_buffer.size(),
                   &group_found) == 0 &&
        group_found)
      names.emplace_back(group_found->gr_name);
  }
  return names;
}

std::optional<Account> account_of(Uid user) {
  passwd entry{}, *found = nullptr;
  std::string buffer(16384, '\0');
  if (getpwuid_r(user.value, &entry, buffer.data(), buffer.size(), &found) != 0 || !found)
    return std::nullopt;
  const Gid gid{entry.pw_gid};
  return Account{entry.pw_name, entry.pw_dir, gid, user_groups(entry.pw_name, gid)};
}

bool is_user(const std::string& name) {
  passwd entry{}, *found = nullptr;
  std::string buffer(16384, '\0');
  return getpwnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found) == 0 && found;
}

std::optional<std::vector<std::string>> users_of_group(const std::string& name) {
  group entry{}, *found = nullptr;
  std::string buffer(1 << 20, '\0');
  if (getgrnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found) != 0 || !found)
    return std::nullopt;
  std::vector<std::string> users;
  for (char** member = found->gr_mem; *member; ++member) users.emplace_back(*member);
  setpwent();
  while (const passwd* user = getpwent())  // NOLINT(concurrency-mt-unsafe): one thread asks
    if (user->pw_gid == found->gr_gid) users.emplace_back(user->pw_name);
  endpwent();
  return users;
}

namespace {

std::string name_of(Uid uid) {
  std::string buffer(16384, '\0');
  passwd entry{}, *found = nullptr;
  if (getpwuid_r(uid.value, &entry, buffer.data(), buffer.size(), &found) != 0 || !found) return {};
  return found->pw_name;
}

}  // namespace

std::optional<Users::User> Users::find(Uid user) const {
  const std::lock_guard lock(mutex_);
  auto at = known_.find(user);
  return at == known_.end() ? std::nullopt : std::optional(at->second.user);
}

bool Users::is_fresh(Uid user) const {
  const std::lock_guard lock(mutex_);
  auto at = known_.find(user);
  return at != known_.end() && Clock::now() < at->second.until;
}

Users::User Users::ask(Uid user) {
  constexpr std::chrono::seconds kKept{60};
  const User found{name_of(user), group_names(user)};
  const std::lock_guard lock(mutex_);
  known_[user] = {found, Clock::now() + kKept};
  return found;
}

}  // namespace muster::io
