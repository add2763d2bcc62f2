// Parsers of option values, one per kind of value. Each sets one field, and answers a bad value
// with Slurm's message and exit code. The templates take the field: text<&JobRequest::account>.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "base/text/duration.h"
#include "cli/options/option_table.h"

namespace muster::cli {

std::unexpected<Refusal> invalid_specification(const JobOptions& o, const OptionRow& row);
std::unexpected<Refusal> invalid_number(const JobOptions& o, const OptionRow& row,
                                        std::string_view value);
std::unexpected<Refusal> refused(const JobOptions& o, std::string_view text, int exit_code);

template <class Class, class Field>
Field& field_of(JobOptions& o, Field Class::* member) {
  if constexpr (std::derived_from<JobRequest, Class>)
    return o.spec.*member;
  else if constexpr (std::same_as<TaskOptions, Class>)
    return o.task.*member;
  else
    return o.*member;
}

// Sizes as for --mem: digits with K, M, G or T and an optional B.
std::optional<std::uint64_t> parse_memory(std::string_view text);

template <auto Member>
Outcome text(JobOptions& o, const OptionRow&, std::string_view value) {
  field_of(o, Member) = Text(value);
  return {};
}

// For an option whose value may be left out.
template <auto Member>
Outcome optional_text(JobOptions& o, const OptionRow&, std::string_view value) {
  field_of(o, Member) = std::string(value);
  return {};
}

template <auto Member>
Outcome flag(JobOptions& o, const OptionRow&, std::string_view) {
  field_of(o, Member) = true;
  return {};
}

// A number that is at least `least`.
std::optional<std::uint32_t> parse_whole(std::string_view text, std::uint32_t least);
template <auto Member, std::uint32_t Least = 1>
Outcome number(JobOptions& o, const OptionRow& row, std::string_view value) {
  auto count = parse_whole(value, Least);
  if (!count) return invalid_number(o, row, value);
  field_of(o, Member) = *count;
  return {};
}
// The same for an option whose value may be left out.
template <auto Member, std::uint32_t Default>
Outcome number_or(JobOptions& o, const OptionRow& row, std::string_view value) {
  if (!value.empty()) return number<Member, 0>(o, row, value);
  field_of(o, Member) = Default;
  return {};
}

template <auto Member>
Outcome memory(JobOptions& o, const OptionRow& row, std::string_view value) {
  auto mib = parse_memory(value);
  if (!mib) return invalid_specification(o, row);
  field_of(o, Member) = *mib;
  return {};
}

template <auto Member>
Outcome time_limit(JobOptions& o, const OptionRow& row, std::string_view value) {
  auto limit = parse_time_limit(value);
  if (!limit) return invalid_specification(o, row);
  field_of(o, Member) = limit->count() == 0 ? kUnlimited : *limit;
  return {};
}

std::expected<Time, Refusal> parse_option_date(const JobOptions& o, const OptionRow& row,
                                               std::string_view value);
template <auto Member>
Outcome date(JobOptions& o, const OptionRow& row, std::string_view value) {
  auto time = parse_option_date(o, row, value);
  if (!time) return std::unexpected(time.error());
  field_of(o, Member) = *time;
  return {};
}

// Accepted without effect; the row's help says why.
Outcome ignored(JobOptions& o, const OptionRow& row, std::string_view value);

Outcome extra_node_info(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome switches(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome partition_names(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome gres_flags(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome hint(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome nodes(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome node_list(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome exclude_list(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome node_file(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome gres(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome exclusive(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome oversubscribe(JobOptions& o, const OptionRow& row, std::string_view value);
// "a,b" is "a&b".
template <auto Member>
Outcome features(JobOptions& o, const OptionRow&, std::string_view value) {
  std::string all(value);
  std::ranges::replace(all, ',', '&');
  field_of(o, Member) = all;
  return {};
}
Outcome signal(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome nice(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome priority(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome mail_type(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome open_mode(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome requeue(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome no_requeue(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome no_kill(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome kill_on_invalid_dep(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome get_user_env(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome wait_all_nodes(JobOptions& o, const OptionRow& row, std::string_view value);
// Stops and new starts: options_stopping.cc.
Outcome notice(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome chunk(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome retry(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome retry_oom(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome check_stopping(JobOptions& o);  // contradictions between them and other options
Outcome wrap(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome verbose(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome distribution(JobOptions& o, const OptionRow& row, std::string_view value);
// Node names in a file: one expression per line, or several with commas.
std::optional<std::string> read_node_file(const std::string& path);
Outcome propagate(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome acctg_freq(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome profile(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome compress(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome accel_bind(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome cpu_freq(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome gpu_freq(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome power(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome delay_boot(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome cpu_bind(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome gpu_bind(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome mem_bind(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome resv_ports(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome burst_buffer(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome burst_buffer_file(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome container(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome x11(JobOptions& o, const OptionRow& row, std::string_view value);

}  // namespace muster::cli
