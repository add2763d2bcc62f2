// Sets the user and the host of a request.
#include "cli/options/submitter.h"

#include <grp.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/text/strings.h"
#include "cli/lib/name_lookup.h"
#include "cli/lib/name_service.h"
#include "cli/options/environment.h"
#include "cli/options/options_values.h"

namespace muster::cli {

namespace {

Outcome only_for_root(const JobOptions& o, const OptionRow& row) {
  if (own_uid() == Uid{0}) return {};
  return refused(o, fmt::format("--{} only permitted by root user", row.name), kExitBadOption);
}

std::optional<UserEntry> user_of(std::string_view name_or_id) {
  if (auto entry = user_named(name_or_id)) return entry;
  auto number = parse_number<std::uint32_t>(name_or_id);
  return number ? user_with(Uid{*number}) : std::nullopt;
}

}  // namespace

Outcome run_as_user(JobOptions& o, const OptionRow& row, std::string_view value) {
  if (auto ok = only_for_root(o, row); !ok) return ok;
  auto user = user_of(value);
  if (!user) return invalid_specification(o, row);
  o.owner = user->uid;
  if (!o.is_given("gid")) o.owner_group = user->gid;
  return {};
}

Outcome run_as_group(JobOptions& o, const OptionRow& row, std::string_view value) {
  if (auto ok = only_for_root(o, row); !ok) return ok;
  auto group = find_group(value);
  if (!group) return invalid_specification(o, row);
  o.owner_group = *group;
  return {};
}

Owner owner_of(const JobOptions& options) {
  return {options.owner.value_or(Uid{::getuid()}), options.owner_group.value_or(Gid{::getgid()})};
}

bool become(const Owner& owner) {
  if (owner.uid == Uid{::getuid()} && owner.gid == Gid{::getgid()}) return true;
  const gid_t group = owner.gid.value;
  return ::setgroups(1, &group) == 0 && ::setgid(group) == 0 && ::setuid(owner.uid.value) == 0;
}

void set_submitter(JobRequest& spec, const JobOptions& options) {
  const Owner owner = owner_of(options);
  spec.uid = owner.uid;
  spec.gid = owner.gid;
  spec.submit_host = Text(short_host_name());
  spec.submit_sid = static_cast<std::uint32_t>(::getsid(0));
}

}  // namespace muster::cli
