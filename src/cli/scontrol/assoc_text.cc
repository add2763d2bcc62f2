// Lines of the records, and how a limit is shown with what is used of it.
#include "cli/scontrol/assoc_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/strings.h"
#include "cli/lib/name_lookup.h"

namespace muster::cli {

namespace {

using Count = std::optional<std::uint32_t>;

// "3(1)", "N(1)": without a limit it is N.
std::string limit_and_use(const Count& limit, std::uint32_t used) {
  return fmt::format("{}({})", limit ? std::to_string(*limit) : "N", used);
}
// ... or nothing without a limit.
std::string only_limited(const Count& limit, std::uint32_t used) {
  return limit ? limit_and_use(limit, used) : "";
}
std::string number(const Count& limit) { return limit ? std::to_string(*limit) : ""; }
std::string minutes(const std::optional<Minutes>& limit) {
  return limit ? std::to_string(limit->count()) : "";
}
std::string wall(const std::optional<Minutes>& limit, double used) {
  return fmt::format("{}({:.2f})", limit ? minutes(limit) : "N", used);
}

// "cpu=8(2),mem=N(100),...": all resources.
std::string tres(const TresAmounts& limits, const TresAmounts& used, const AssocStyle& style) {
  std::string text;
  for (const std::string& name : style.tres) {
    const auto limit = amount_of(limits, name);
    text += fmt::format("{}{}={}({})", text.empty() ? "" : ",", name,
                        limit ? std::to_string(*limit) : "N", amount_of(used, name).value_or(0));
  }
  return text;
}
// "cpu=4": those with a limit.
std::string tres(const TresAmounts& limits) {
  std::string text;
  for (const auto& [name, amount] : limits)
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", name.view(), amount);
  return text;
}

// "alice(1001)"
std::string user_name(const Text& name) {
  if (name.empty()) return {};
  const auto uid = find_user(name.view());
  return fmt::format("{}({})", name.view(), uid ? std::to_string(uid->value) : "4294967294");
}

// Lines of a record: the first is not indented.
class Lines {
 public:
  explicit Lines(bool one_line) : one_line_(one_line) {}
  void add(const std::string& line) {
    if (!text_.empty()) text_ += one_line_ ? " " : "\n    ";
    text_ += line;
  }
  std::string take() { return std::move(text_) + "\n"; }

 private:
  std::string text_;
  bool one_line_;
};

void add_group_tres(const SharedLimits& group, const wire::UseOfLimits& use,
                    const AssocStyle& style, Lines& lines) {
  lines.add("GrpTRES=" + tres(group.tres, use.tres, style));
  lines.add("GrpTRESMins=" + tres(group.past_minutes, use.past_minutes, style));
  lines.add("GrpTRESRunMins=" + tres(group.run_minutes, use.run_minutes, style));
}

void add_job_limits(const Limits& limits, Lines& lines) {
  lines.add("MaxTRESPJ=" + tres(limits.max_per_job));
  lines.add("MaxTRESPN=" + tres(limits.max_per_node));
  lines.add("MaxTRESMinsPJ=" + tres(limits.max_minutes_per_job));
}

// What each account or user uses of the limits that count for it alone. `suffix`: "PA", "PU".
std::string uses_text(const std::vector<wire::UseByName>& all, const SharedLimits& limits,
                      std::string_view title, std::string_view suffix, const AssocStyle& style) {
  std::string text = fmt::format("{}{} Limits{}", style.one_line ? " " : "\n    ", title,
                                 style.one_line ? "=" : "");
  if (all.empty()) return text + fmt::format("{}No {}s", style.one_line ? "" : "\n        ", title);
  for (const auto& [name, use] : all) {
    const std::string counts = fmt::format(
        "MaxJobs{0}={1} MaxJobsAccrue{0}={2} MaxSubmitJobs{0}={3}", suffix,
        limit_and_use(limits.jobs, use.jobs), limit_and_use(limits.accruing, use.accruing),
        limit_and_use(limits.submitted, use.submitted));
    const std::string held =
        fmt::format("MaxTRES{}={}", suffix, tres(limits.tres, use.tres, style));
    if (style.one_line)
      text += fmt::format(" {}={{{} {}}}", name.view(), counts, held);
    else
      text += fmt::format("\n      {}\n        {}\n        {}", name.view(), counts, held);
  }
  return text;
}

}  // namespace

LevelShares level_shares(const wire::LimitsReply& reply) {
  LevelShares sums;
  for (const wire::LimitsRow& row : reply.rows) {
    if (!row.association) continue;
    const Association& a = row.association->association;
    if (a.is_root() || a.shares_of_parent) continue;
    const Text above = a.is_user()        ? a.key.account
                       : a.parent.empty() ? Text(kRootAccount)
                                          : a.parent;
    sums[above] += a.shares;
  }
  return sums;
}

std::string user_text(const wire::UserRecord& user) {
  const UserAccess& access = user.access;
  const std::string_view level = access.admin_level == AdminLevel::administers ? "Administrator"
                                 : access.admin_level == AdminLevel::operates  ? "Operator"
                                                                               : "Not Set";
  return fmt::format("UserName={} DefAccount={} DefWckey={} AdminLevel={}\n",
                     user_name(access.user), user.default_account.view(),
                     access.default_wckey.empty() ? "(null)" : access.default_wckey.view(), level);
}

std::string association_text(const wire::AssociationUse& row, const AssocStyle& style) {
  const Association& a = row.association;
  const Limits& limits = a.limits;
  const wire::UseOfLimits& use = row.use;
  AssocIds::Place place;
  if (auto known = style.ids.associations.find(a.key); known != style.ids.associations.end())
    place = known->second;
  const Text above = a.is_user() || !a.parent.empty() ? a.parent : Text(kRootAccount);
  const auto sum = style.shares.find(a.is_user() ? a.key.account : above);
  const std::uint64_t level = a.is_root() || sum == style.shares.end() ? 1 : sum->second;
  Lines lines(style.one_line);
  lines.add(fmt::format("ClusterName={} Account={} UserName={} Partition={} Priority={} ID={}",
                        style.cluster, a.key.account.view(), user_name(a.key.user),
                        a.key.partition.view(), a.priority, place.id));
  lines.add(fmt::format("SharesRaw/Norm/Level/Factor={}/{:.2f}/{}/{:.2f}",
                        a.shares_of_parent ? "parent" : std::to_string(a.shares), row.shares_norm,
                        level, row.factor));
  lines.add(fmt::format("UsageRaw/Norm/Efctv={:.2f}/{:.2f}/{:.2f}", row.usage_raw, row.usage_norm,
                        row.usage_effective));
  const std::string parent = a.is_root() || a.is_user()
                                 ? std::string()
                                 : fmt::format("{}({})", above.view(), place.parent);
  lines.add(fmt::format("ParentAccount={} Lft={} DefAssoc={}", parent, place.lft,
                        a.is_default ? "Yes" : "No"));
  lines.add(fmt::format("GrpJobs={} GrpJobsAccrue={}", limit_and_use(limits.group.jobs, use.jobs),
                        limit_and_use(limits.group.accruing, use.accruing)));
  lines.add(fmt::format("GrpSubmitJobs={} GrpWall={}",
                        limit_and_use(limits.group.submitted, use.submitted),
                        wall(limits.group.wall, use.wall_minutes)));
  add_group_tres(limits.group, use, style, lines);
  lines.add(fmt::format("MaxJobs={} MaxJobsAccrue={} MaxSubmitJobs={} MaxWallPJ={}",
                        only_limited(limits.per_user.jobs, use.jobs),
                        only_limited(limits.per_user.accruing, use.accruing),
                        only_limited(limits.per_user.submitted, use.submitted),
                        minutes(limits.max_wall)));
  add_job_limits(limits, lines);
  lines.add("MinPrioThresh=" + number(a.min_priority));
  return lines.take();
}

std::string qos_text(const wire::QosUse& row, const AssocStyle& style) {
  const Qos& qos = row.qos;
  const SharedLimits& group = qos.limits.group;
  const auto id = style.ids.qos.find(qos.name);
  Lines lines(style.one_line);
  lines.add(fmt::format("QOS={}({})", qos.name.view(), id == style.ids.qos.end() ? 0 : id->second));
  lines.add(fmt::format("UsageRaw={:.6f}", row.usage_raw));
  lines.add(fmt::format(
      "GrpJobs={} GrpJobsAccrue={} GrpSubmitJobs={} GrpWall={}",
      limit_and_use(group.jobs, row.use.jobs), limit_and_use(group.accruing, row.use.accruing),
      limit_and_use(group.submitted, row.use.submitted), wall(group.wall, row.use.wall_minutes)));
  add_group_tres(group, row.use, style, lines);
  lines.add("MaxWallPJ=" + minutes(qos.limits.max_wall));
  add_job_limits(qos.limits, lines);
  lines.add("MinPrioThresh=" + number(qos.min_priority) + " ");
  lines.add("MinTRESPJ=" + tres(qos.limits.min_per_job));
  lines.add("PreemptMode=" + (qos.preempt_mode.empty() ? "OFF" : upper(qos.preempt_mode)));
  lines.add(fmt::format("Priority={}", qos.priority));
  std::string text = lines.take();
  text.pop_back();
  text += uses_text(row.accounts, qos.limits.per_account, "Account", "PA", style);
  return text + uses_text(row.users, qos.limits.per_user, "User", "PU", style) + "\n";
}

}  // namespace muster::cli
