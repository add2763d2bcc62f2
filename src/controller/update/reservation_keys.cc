// The keys of scontrol create and update reservation.
#include <algorithm>

#include "base/text/date.h"
#include "base/text/duration.h"
#include "base/text/strings.h"
#include "controller/reservations/draft.h"
#include "sched/request/request.h"
#include "wire/update_keys.h"

namespace muster::controller {

namespace {

using Draft = ReservationDraft;
enum class Sign : std::uint8_t { none, plus, minus };
constexpr Seconds kPurgeByDefault{300};

struct Names {
  Sign sign = Sign::none;
  std::vector<Text> names;  // without their signs
};

// "a,b", "+a", "-a,-b", or a sign before the '='. Unset if signs are mixed.
std::optional<Names> parse_names(Sign of_key, std::string_view value) {
  Names result{.sign = of_key};
  bool first = true;
  for (std::string_view item : split(value, ',')) {
    item = trim(item);
    if (item.empty()) continue;
    Sign sign = item.front() == '+' ? Sign::plus : item.front() == '-' ? Sign::minus : Sign::none;
    if (sign != Sign::none) item.remove_prefix(1);
    if (first && sign != Sign::none) result.sign = sign;
    if (!first && sign != result.sign && of_key == Sign::none) return std::nullopt;
    first = false;
    result.names.emplace_back(item);
  }
  return result;
}

// A list names those who may use the reservation or, with '-' before every name, those who may not.
bool change_names(std::vector<Text>& list, const Names& change) {
  if (change.sign == Sign::none) return list = change.names, true;
  const bool denies =
      list.empty() ? change.sign == Sign::minus : list.front().view().starts_with('-');
  const bool adds = denies == (change.sign == Sign::minus);
  for (const Text& name : change.names) {
    const Text entry = denies ? Text("-" + name.str()) : name;
    const bool known = std::ranges::find(list, entry) != list.end();
    if (adds && !known) list.push_back(entry);
    if (!adds && std::erase(list, entry) == 0) return false;
  }
  return true;
}

Result<void> set_names(std::vector<Text>& list, Sign sign, std::string_view value,
                       ErrorCode refused) {
  auto names = parse_names(sign, value);
  if (!names || !change_names(list, *names)) return fail(refused);
  return {};
}

Result<void> set_flag(Reservation& r, std::string_view word, bool on) {
  auto flag = reservation_flag(word);
  if (!flag) return fail("Invalid reservation flag " + std::string(word));
  std::erase_if(r.flags, [&](const Text& f) { return f == *flag; });
  if (on) r.flags.emplace_back(*flag);
  if (*flag != "PURGE_COMP" || !on) return {};
  auto equals = word.find('=');
  if (equals == word.npos) {
    if (r.purge_after == Seconds{0}) r.purge_after = kPurgeByDefault;
    return {};
  }
  auto span = parse_time_limit(word.substr(equals + 1));
  if (!span || *span == kUnlimited) return fail("Invalid reservation flag " + std::string(word));
  r.purge_after = *span;
  return {};
}

Result<void> set_flags(Draft& d, Sign sign, std::string_view value) {
  for (std::string_view word : split(value, ',')) {
    word = trim(word);
    Sign own = sign;
    if (word.starts_with('+') || word.starts_with('-')) {
      own = word.front() == '-' ? Sign::minus : Sign::plus;
      word.remove_prefix(1);
    }
    if (word.empty()) continue;
    if (auto ok = set_flag(d.r, word, own != Sign::minus); !ok) return ok;
  }
  if (!d.create && d.r.has("TIME_FLOAT") && d.r.float_by == Seconds{0})
    return fail("Invalid time specified");
  return {};
}

void forget_how_chosen(Reservation& r) {
  std::erase_if(r.flags, [](const Text& f) { return f == "SPEC_NODES" || f == "ALL_NODES"; });
}

Result<void> set_nodes(Draft& d, std::string_view value) {
  forget_how_chosen(d.r);
  if (value.empty()) return {};
  d.nodes_named = true;
  d.r.flags.emplace_back("SPEC_NODES");
  if (iequals(value, "ALL")) {
    if (!d.r.has("PART_NODES")) d.r.flags.emplace_back("ALL_NODES");
    d.r.nodes = *d.cluster.node_order;
  } else {
    auto named = d.cluster.nodes_named(value);
    if (!named) return std::unexpected(named.error());
    d.r.nodes = std::move(*named);
  }
  std::ranges::sort(d.r.nodes);
  d.r.nodes.erase(std::unique(d.r.nodes.begin(), d.r.nodes.end()), d.r.nodes.end());
  return {};
}

// "2" or "2,3"; "2k" is 2048.
std::optional<std::vector<std::uint32_t>> parse_counts(std::string_view text) {
  std::vector<std::uint32_t> counts;
  for (std::string_view item : split(text, ',')) {
    const bool thousands = item.ends_with('k') || item.ends_with('K');
    if (thousands) item.remove_suffix(1);
    auto n = parse_number<std::uint32_t>(item);
    if (!n || (thousands && *n > 1'000'000)) return std::nullopt;
    counts.push_back(thousands ? *n * 1024 : *n);
  }
  return counts;
}

Result<void> set_node_count(Draft& d, std::string_view value) {
  auto counts = parse_counts(value);
  if (!counts) return fail(ErrorCode::invalid_node_count);
  std::uint64_t sum = 0;
  for (std::uint32_t n : *counts) sum += n;
  if (sum == 0 || sum > 0xffffffffu) return fail(ErrorCode::invalid_node_count);
  d.node_count = static_cast<std::uint32_t>(sum);
  return {};
}

Result<void> set_core_counts(Draft& d, std::string_view value) {
  if (!d.create) return fail("Core-based reservation can not be updated");
  auto counts = parse_counts(value);
  if (!counts || std::ranges::find(*counts, 0u) != counts->end())
    return fail("Invalid core count " + std::string(value));
  d.core_counts = std::move(*counts);
  return {};
}

Result<void> set_licenses(Draft& d, std::string_view value) {
  if (auto known = sched::parse_licenses(d.cluster, value); !known)
    return std::unexpected(known.error());
  d.r.licenses = Text(value);
  return {};
}

// "cpu=8,node=2,license/matlab=3": cores, nodes and licenses.
Result<void> set_tres(Draft& d, std::string_view value) {
  std::string licenses;
  for (std::string_view item : split(value, ',')) {
    auto equals = item.find('=');
    std::string_view name = trim(item.substr(0, equals));
    std::string_view count = equals == item.npos ? "" : item.substr(equals + 1);
    Result<void> ok;
    if (iequals(name, "cpu"))
      ok = set_core_counts(d, count);
    else if (iequals(name, "node"))
      ok = set_node_count(d, count);
    else if (istarts_with(name, "license/"))
      licenses.append(licenses.empty() ? "" : ",").append(name.substr(8)).append(":").append(count);
    else
      return fail("TRES type '" + std::string(name) + "' not supported with reservations");
    if (!ok) return ok;
  }
  return licenses.empty() ? Result<void>{} : set_licenses(d, licenses);
}

Result<void> set_date(Draft& d, Time& target, std::string_view value) {
  auto at = parse_date(value, d.now);
  if (!at) return fail("Invalid time specified");
  target = *at;
  d.time_changed = true;
  return {};
}

Result<void> set_duration(Draft& d, Sign sign, std::string_view value) {
  auto span = parse_time_limit(value);
  if (!span) return fail(ErrorCode::invalid_time_limit);
  d.time_changed = true;
  const auto known = std::chrono::floor<Minutes>(d.r.end - d.r.start);
  if (sign == Sign::plus && *span != kUnlimited) span = known + *span;
  if (sign == Sign::minus && *span != kUnlimited) span = known - *span;
  d.duration = *span;
  return {};
}

Result<void> set_delay(Draft& d, std::string_view value) {
  auto span = parse_duration(value);
  if (!span) return fail(ErrorCode::invalid_time_limit);
  d.r.max_start_delay = *span;
  return {};
}

Result<void> set_partition(Draft& d, std::string_view value) {
  if (!value.empty() && !d.cluster.find_partition(value)) return fail(ErrorCode::invalid_partition);
  d.r.partition = Text(value);
  return {};
}

template <auto Member>
Result<void> set_text(Draft& d, Sign, std::string_view value) {
  d.r.*Member = Text(value);
  return {};
}
Result<void> set_features(Draft& d, Sign sign, std::string_view value) {
  if (!d.create) return fail("Requested operation not supported on this system");
  return set_text<&Reservation::features>(d, sign, value);
}
Result<void> set_skip(Draft& d, Sign, std::string_view) {
  d.skip = true;
  return {};
}
// Keys that take no sign.
template <Result<void> (*Set)(Draft&, std::string_view)>
Result<void> plain(Draft& d, Sign, std::string_view value) {
  return Set(d, value);
}
template <auto Member>
Result<void> set_time(Draft& d, Sign, std::string_view value) {
  return set_date(d, d.r.*Member, value);
}
template <auto Member, ErrorCode Refused>
Result<void> set_list(Draft& d, Sign sign, std::string_view value) {
  return set_names(d.r.*Member, sign, value, Refused);
}

struct ReservationSetter {
  std::string_view name;
  // None: the key is known, but not supported.
  Result<void> (*set)(Draft&, Sign, std::string_view value);
};
using R = Reservation;
constexpr ReservationSetter kSetters[] = {
    {"Accounts", set_list<&R::accounts, ErrorCode::invalid_account>},
    {"BurstBuffer", nullptr},
    {"Comment", set_text<&R::comment>},
    {"CoreCnt", plain<set_core_counts>},
    {"Duration", set_duration},
    {"EndTime", set_time<&R::end>},
    {"Features", set_features},
    {"Flags", set_flags},
    {"Groups", set_list<&R::groups, ErrorCode::failure>},
    {"Licenses", plain<set_licenses>},
    {"MaxStartDelay", plain<set_delay>},
    {"NodeCnt", plain<set_node_count>},
    {"Nodes", plain<set_nodes>},
    {"PartitionName", plain<set_partition>},
    {"Skip", set_skip},
    {"StartTime", set_time<&R::start>},
    {"TRES", plain<set_tres>},
    {"Users", set_list<&R::users, ErrorCode::user_id_missing>},
    {"Watts", nullptr},
};

}  // namespace

bool has_reservation_setter(std::string_view name) {
  return std::ranges::find(kSetters, name, &ReservationSetter::name) != std::end(kSetters);
}

Result<void> set_reservation_key(ReservationDraft& d, std::string_view key,
                                 std::string_view value) {
  Sign sign = key.ends_with('+') ? Sign::plus : key.ends_with('-') ? Sign::minus : Sign::none;
  if (sign != Sign::none) key.remove_suffix(1);
  const auto* known = wire::find_update_key(wire::UpdateRequest::Kind::reservation, key);
  const auto* setter =
      known ? std::ranges::find(kSetters, known->name, &ReservationSetter::name) : nullptr;
  if (!known || setter == std::end(kSetters) || !setter->set)
    return fail(ErrorCode::not_supported_yet, std::string(key));
  return setter->set(d, sign, value);
}

}  // namespace muster::controller
