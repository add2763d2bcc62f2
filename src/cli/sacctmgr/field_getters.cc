// See field_getters.h.
#include "cli/sacctmgr/field_getters.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/date.h"
#include "base/text/duration.h"
#include "base/text/strings.h"

namespace muster::cli::getters {

// --- what a row is about ---
static const Association* association_of(Row row) {
  return row.association ? &row.association->row.association : nullptr;
}
const Limits* limits_of(Row row) {
  if (row.qos) return &row.qos->qos.limits;
  const Association* association = association_of(row);
  return association ? &association->limits : nullptr;
}
static const RowTimes* times_of(Row row) {
  if (row.association && !row.account && !row.user && !row.cluster)
    return &row.association->row.times;
  if (row.account) return &row.account->times;
  if (row.user) return &row.user->row.times;
  if (row.qos) return &row.qos->times;
  if (row.cluster) return &row.cluster->row.times;
  if (row.wckey) return &row.wckey->times;
  if (row.resource) return &row.resource->times;
  return nullptr;
}

// --- pieces ---
void put_list(const std::vector<Text>& names, Out out) {
  std::string_view comma;
  for (const Text& name : names) {
    out.append(comma).append(name.view());
    comma = ",";
  }
}
void put_count(const std::optional<std::uint32_t>& count, Out out) {
  if (count) out += std::to_string(*count);
}
void put_limit(const std::optional<Minutes>& limit, Out out) {
  if (limit) out += limit_text(*limit);
}
void put_number(std::uint64_t number, Out out) { out += std::to_string(number); }
static void put_factor(double factor, Out out) {
  fmt::format_to(std::back_inserter(out), "{:.6f}", factor);
}

// --- names ---
void account(Row row, Out out) {
  if (row.account)
    out += row.account->name.view();
  else if (const Association* a = association_of(row))
    out.append(row.indent, ' ').append(a->key.account.view());
  else if (row.transaction)
    put_list(row.transaction->accounts, out);
}
void user(Row row, Out out) {
  if (row.event) {  // the cluster itself reports how much it has
    if (!row.event->node.empty())
      out += fmt::format("{}({})", row.event->user.view(), row.event->uid.value);
  } else if (row.wckey)
    out += row.wckey->user.view();
  else if (row.transaction)
    put_list(row.transaction->users, out);
  else if (row.user)
    out += row.user->row.name.view();
  else if (const Association* a = association_of(row))
    out += a->key.user.view();
}
void cluster(Row row, Out out) {
  if (row.cluster)
    out += row.cluster->row.name.view();
  else if (row.event)
    out += row.event->cluster.view();
  else if (row.wckey)
    out += row.wckey->cluster.view();
  else if (row.transaction)
    out += row.transaction->cluster.view();
  else if (row.runaway)
    out += row.runaway->cluster.view();
  else if (row.reservation)
    out += row.reservation->cluster.view();
  else if (row.share)
    out += row.share->first.view();
  else if (row.association)
    out += row.association->row.cluster.view();
}
void partition(Row row, Out out) {
  if (row.runaway)
    out += row.runaway->partition.view();
  else if (const Association* a = association_of(row))
    out += a->key.partition.view();
}
void name(Row row, Out out) {
  if (row.qos)
    out += row.qos->qos.name.view();
  else if (row.tres)
    out += row.tres->name.view();
  else if (row.resource)
    out += row.resource->name.view();
  else if (row.runaway)
    out += row.runaway->name.view();
  else if (row.reservation)
    out += row.reservation->name.view();
  else if (row.wckey)
    out += row.wckey->name.view();
  else if (row.user)
    out += row.user->row.name.view();
  else if (row.account)
    out += row.account->name.view();
  else if (row.cluster)
    out += row.cluster->row.name.view();
}
void id(Row row, Out out) {
  if (row.qos)
    put_number(row.qos->id, out);
  else if (row.tres)
    put_number(row.tres->id, out);
  else if (row.wckey)
    put_number(row.wckey->id, out);
  else if (row.resource)
    put_number(row.resource->id, out);
  else if (row.transaction)
    put_number(row.transaction->id, out);
  else if (row.runaway)
    put_number(row.runaway->job.value, out);
  else if (row.reservation)
    put_number(row.reservation->number, out);
  else if (row.cluster)
    put_number(0, out);  // of a federation
  else if (row.association && row.association->row.id != 0)
    put_number(row.association->row.id, out);
}
void description(Row row, Out out) {
  if (row.account)
    out += row.account->description.view();
  else if (row.qos)
    out += row.qos->qos.description.view();
  else if (row.resource)
    out += row.resource->description.view();
}
void kind(Row row, Out out) {
  if (row.tres)
    out += row.tres->type.view();
  else if (row.resource)
    out += row.resource->kind.view();
}

// --- accounts and users ---
void admin_level(Row row, Out out) {
  if (!row.user) return;
  switch (row.user->row.admin_level) {
    case AdminLevel::none:
      out += "None";
      return;
    case AdminLevel::operates:
      out += "Operator";
      return;
    case AdminLevel::administers:
      out += "Administrator";
      return;
  }
}
void coordinators(Row row, Out out) {
  if (!row.with_coordinators) return;
  if (row.account)
    put_list(row.account->coordinators, out);
  else if (row.user)
    put_list(row.user->coordinates, out);
}
// Each cluster has its own; a line is of one cluster, or shows the first.
static void own_default(const std::vector<std::pair<Text, Text>>& defaults, Row row, Out out) {
  for (const auto& [where, name] : defaults)
    if (!row.association || row.association->row.cluster == where) {
      out += name.view();
      return;
    }
}
void default_account(Row row, Out out) {
  if (row.user) own_default(row.user->default_account, row, out);
}
void default_wckey(Row row, Out out) {
  if (row.user) own_default(row.user->default_wckey, row, out);
}

// --- associations ---
void shares(Row row, Out out) {
  const Association* a = association_of(row);
  if (!a && row.account) return put_number(0, out);  // of an account without its associations
  if (!a) return;
  if (a->shares_of_parent)
    out += "parent";
  else
    put_number(a->shares, out);
}
void qos_list(Row row, Out out) {
  if (const Association* a = association_of(row)) put_list(a->qos, out);
}
void qos_numbers(Row row, Out out) {
  const Association* a = association_of(row);
  if (!a) return;
  std::vector<std::uint32_t> ids;
  for (const QosRow& qos : row.all_qos)
    if (std::ranges::find(a->qos, qos.qos.name) != a->qos.end()) ids.push_back(qos.id);
  std::ranges::sort(ids);
  std::string_view comma;
  for (const std::uint32_t id : ids) {
    out.append(comma).append(std::to_string(id));
    comma = ",";
  }
}
void default_qos(Row row, Out out) {
  if (const Association* a = association_of(row)) out += a->default_qos.view();
}
void parent_name(Row row, Out out) {
  const Association* a = association_of(row);
  if (a && !a->is_user() && !a->is_root())
    out += a->parent.empty() ? kRootAccount : a->parent.view();
}
void parent_id(Row row, Out out) {
  if (row.association && row.association->parent_id != 0)
    put_number(row.association->parent_id, out);
}
void priority(Row row, Out out) {
  if (row.qos)
    put_number(row.qos->qos.priority, out);
  else if (const Association* a = association_of(row); a && a->priority != 0)
    put_number(a->priority, out);
}
void min_priority(Row row, Out out) {
  if (row.qos)
    put_count(row.qos->qos.min_priority, out);
  else if (const Association* a = association_of(row))
    put_count(a->min_priority, out);
}
void left(Row row, Out out) {
  if (row.association) put_number(row.association->lft, out);
}
void right(Row row, Out out) {
  if (row.association) put_number(row.association->rgt, out);
}

// --- QOS ---
void flags(Row row, Out out) {
  std::vector<Text> names;
  const RowTimes* times = times_of(row);
  if (times && times->deleted) names.emplace_back("DELETED");
  if (row.qos)
    for (std::string_view flag : qos_flags(row.qos->qos)) names.emplace_back(flag);
  if (row.resource)
    names.insert(names.end(), row.resource->flags.begin(), row.resource->flags.end());
  if (row.cluster && names.empty()) names.emplace_back("None");
  put_list(names, out);
}
void grace_time(Row row, Out out) {
  if (row.qos) out += format_elapsed(row.qos->qos.grace_time.value_or(Seconds{0}));
}
void exempt_time(Row row, Out out) {
  if (row.qos && row.qos->qos.exempt_time) out += format_elapsed(*row.qos->qos.exempt_time);
}
void preempts(Row row, Out out) {
  if (row.qos) put_list(row.qos->qos.preempts, out);
}
void preempt_mode(Row row, Out out) {
  if (row.qos)
    out += row.qos->qos.preempt_mode.empty() ? "cluster" : lower(row.qos->qos.preempt_mode);
}
void usage_factor(Row row, Out out) {
  if (row.qos) put_factor(row.qos->qos.usage_factor, out);
}
void usage_threshold(Row row, Out out) {
  if (row.qos && row.qos->qos.usage_threshold) put_factor(*row.qos->qos.usage_threshold, out);
}
void limit_factor(Row row, Out out) {
  if (row.qos && row.qos->qos.limit_factor != 1) put_factor(row.qos->qos.limit_factor, out);
}

// --- clusters, events and the rest ---
void tres(Row row, Out out) {
  if (row.cluster)
    out += amounts_text(row.cluster->row.tres);
  else if (row.event)
    out += amounts_text(row.event->tres);
  else if (row.reservation)
    out += amounts_text(row.reservation->tres);
}
void nodes(Row row, Out out) {
  if (row.cluster)
    out += row.cluster->row.nodes.view();
  else if (row.event)
    out += row.event->node.view();
}
void cluster_nodes(Row row, Out out) {
  if (row.cluster)
    out += row.cluster->row.nodes.view();
  else if (row.event)
    out += row.event->nodes.view();
}
void node_count(Row row, Out out) {
  if (!row.cluster) return;
  if (const auto amount = amount_of(row.cluster->row.tres, "node")) put_number(*amount, out);
}
void cpu_count(Row row, Out out) {
  if (!row.cluster && !row.event) return;
  const TresAmounts& all = row.cluster ? row.cluster->row.tres : row.event->tres;
  if (const auto amount = amount_of(all, "cpu")) put_number(*amount, out);
}
void start(Row row, Out out) {
  if (row.event)
    out += format_date(row.event->start);
  else if (row.runaway)
    out += format_date(row.runaway->started);
  else if (row.reservation)
    out += format_date(row.reservation->start);
}
void end(Row row, Out out) {
  if (row.event)
    out += format_date(row.event->end);
  else if (row.runaway)
    out += format_date(row.runaway->ended);
  else if (row.reservation)
    out += format_date(row.reservation->end);
}
void duration(Row row, Out out) {
  if (!row.event) return;
  const Time until = is_set(row.event->end) ? row.event->end : row.now;
  out += format_elapsed(std::chrono::duration_cast<Seconds>(until - row.event->start));
}
void state(Row row, Out out) {
  if (row.event)
    out += row.event->state.view();
  else if (row.runaway)
    out += row.runaway->state.view();
}
void resource_share(Row row, Out out) {
  if (row.share) put_number(row.share->second, out);
}
void resource_allowed(Row row, Out out) {
  if (!row.resource) return;
  std::uint64_t sum = 0;
  for (const auto& [where, percent] : row.resource->allowed_percent) sum += percent;
  put_number(sum, out);
}
void resource_count(Row row, Out out) {
  if (row.resource) put_number(row.resource->count, out);
}
void resource_count_allowed(Row row, Out out) {
  if (!row.resource || !row.share) return;
  put_number(std::uint64_t{row.resource->count} * row.share->second / 100, out);
}

}  // namespace muster::cli::getters
