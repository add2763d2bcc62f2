// field_getters: how the fields of sacctmgr are got out of a row. One that the row does not have
// appends nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/sacctmgr/fields.h"
#include "cli/sacctmgr/values.h"

namespace muster::cli::getters {

using Row = const ShownRow&;
using Out = std::string&;

const Limits* limits_of(Row row);  // of a QOS or an association; null where there are none
void put_list(const std::vector<Text>& names, Out out);
void put_count(const std::optional<std::uint32_t>& count, Out out);
void put_limit(const std::optional<Minutes>& limit, Out out);
void put_number(std::uint64_t number, Out out);

void account(Row row, Out out);
void user(Row row, Out out);
void cluster(Row row, Out out);
void partition(Row row, Out out);
void name(Row row, Out out);
void id(Row row, Out out);
void description(Row row, Out out);
void kind(Row row, Out out);
void admin_level(Row row, Out out);
void coordinators(Row row, Out out);
void default_account(Row row, Out out);
void default_wckey(Row row, Out out);
void shares(Row row, Out out);
void qos_list(Row row, Out out);
void qos_numbers(Row row, Out out);
void default_qos(Row row, Out out);
void parent_name(Row row, Out out);
void parent_id(Row row, Out out);
void priority(Row row, Out out);
void min_priority(Row row, Out out);
void left(Row row, Out out);
void right(Row row, Out out);
void flags(Row row, Out out);
void grace_time(Row row, Out out);
void exempt_time(Row row, Out out);
void preempts(Row row, Out out);
void preempt_mode(Row row, Out out);
void usage_factor(Row row, Out out);
void usage_threshold(Row row, Out out);
void limit_factor(Row row, Out out);
void tres(Row row, Out out);
void nodes(Row row, Out out);
void cluster_nodes(Row row, Out out);
void node_count(Row row, Out out);
void cpu_count(Row row, Out out);
void start(Row row, Out out);
void end(Row row, Out out);
void duration(Row row, Out out);
void state(Row row, Out out);
void resource_share(Row row, Out out);
void resource_allowed(Row row, Out out);
void resource_count(Row row, Out out);
void resource_count_allowed(Row row, Out out);

// --- limits: a path of members leads to each ---
template <auto... Path>
inline constexpr auto member =
    [](const auto& object) -> const auto& { return (object.*....*Path); };

template <auto... Path>
void amounts(Row row, Out out) {
  if (const Limits* limits = limits_of(row)) out += amounts_text(member<Path...>(*limits));
}
template <auto... Path>
void count(Row row, Out out) {
  if (const Limits* limits = limits_of(row)) put_count(member<Path...>(*limits), out);
}
template <auto... Path>
void limit(Row row, Out out) {
  if (const Limits* limits = limits_of(row)) put_limit(member<Path...>(*limits), out);
}
// One resource of a limit, for the columns from before TRES.
inline constexpr char kCpu[] = "cpu", kMemory[] = "mem", kNode[] = "node";
template <const char* Name, auto... Path>
void one(Row row, Out out) {
  const Limits* limits = limits_of(row);
  if (!limits) return;
  if (const auto amount = amount_of(member<Path...>(*limits), Name)) put_number(*amount, out);
}

}  // namespace muster::cli::getters
