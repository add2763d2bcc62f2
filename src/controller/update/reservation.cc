// scontrol create, update and delete reservation.
#include "controller/update/update.h"

#include <algorithm>

#include "base/text/duration.h"
#include "base/text/strings.h"
#include "controller/reservations/draft.h"
#include "controller/reservations/reservations.h"
#include "controller/update/settings_list.h"
#include "controller/views/view.h"

namespace muster::controller {

namespace {

constexpr Minutes kYear{525600};
constexpr Seconds kPastStart{24 * 3600};  // a start may be this long ago

// "root_2": its first user or account, and a number.
std::string new_name(const Reservation& r) {
  std::string_view owner = !r.accounts.empty() ? r.accounts.front().view()
                           : !r.users.empty()  ? r.users.front().view()
                                               : r.groups.front().view();
  if (owner.starts_with('-')) owner.remove_prefix(1);
  return std::string(owner) + "_" + std::to_string(r.number);
}

// starts_anew: the reservation is new, or gets another start.
Result<void> set_times(ReservationDraft& d, bool starts_anew) {
  if (d.duration)
    d.r.end =
        d.r.start + (*d.duration == kUnlimited || d.duration->count() == 0 ? kYear : *d.duration);
  if (d.skip) {
    auto next = next_occasion(d.r);
    if (!next) return fail("Reservation given is not skipable, try deleting instead");
    d.r.end += *next - d.r.start;
    d.r.start = *next;
  }
  if (d.r.end <= d.r.start || d.r.end <= d.now || (starts_anew && d.r.start < d.now - kPastStart))
    return fail("Invalid time specified");
  if (d.create && d.r.has("TIME_FLOAT")) {
    if (next_occasion(d.r)) return fail("Requested operation not supported on this system");
    d.r.float_by = std::max(Seconds{0}, std::chrono::floor<Seconds>(d.r.start - d.now));
  }
  return {};
}

// All users and groups of the reservation must exist on this machine.
Result<void> check_holders(Host& host, Reservation& r) {
  if (r.users.empty() && r.accounts.empty() && r.groups.empty())
    return fail("Reservation request lacks users, groups or accounts");
  if (!r.users.empty() && !r.groups.empty())
    return fail("Reservations can't have users and groups specified, only one or the other");
  for (const Text& user : r.users) {
    std::string_view name = user.view();
    if (name.starts_with('-')) name.remove_prefix(1);
    if (!host.is_user(name)) return fail(ErrorCode::user_id_missing);
  }
  r.group_members.clear();
  for (const Text& group : r.groups) {
    auto members = host.users_of_group(group.view());
    if (!members) return fail("Invalid group id");
    for (std::string& member : *members) r.group_members.emplace_back(member);
  }
  return {};
}

wire::Answer remove_reservation(Ledger& ledger, const Reservation& reservation) {
  if (is_reservation_used(ledger.cluster(), reservation.name))
    return Error{ErrorCode::reservation_busy, {}};
  ledger.record(ReservationChanged{.reservation = reservation, .removed = true});
  ledger.want_plan();
  return wire::Done{};
}

}  // namespace

wire::Answer update_reservation(Ledger& ledger, Host& host, const wire::UpdateRequest& request) {
  const Time now = ledger.now();
  auto name = find_setting(request.settings, {"ReservationName", "Reservation"});
  const Reservation* known = name ? ledger.cluster().find_reservation(*name) : nullptr;
  if (request.create && known) return Error{ErrorCode::failure, "Duplicate reservation name"};
  if (!request.create && !known) return Error{ErrorCode::invalid_reservation, {}};
  if (request.remove) return remove_reservation(ledger, *known);
  ReservationDraft d{.cluster = ledger.cluster(), .now = now, .create = request.create};
  if (known) d.r = *known;
  if (request.create) d.r.number = ledger.cluster().last_reservation + 1;
  for (const auto& [key, value] : request.settings) {
    if (iequals(key, "ReservationName") || iequals(key, "Reservation")) continue;
    if (auto ok = set_reservation_key(d, key, value); !ok) return ok.error();
  }
  if (!is_set(d.r.start)) d.r.start = now;
  // The duration stays the same unless the request changes it.
  if (known && !d.duration && !find_setting(request.settings, {"EndTime"}))
    d.r.end += d.r.start - known->start;
  if (auto ok = check_holders(host, d.r); !ok) return ok.error();
  if (known && known->start != d.r.start && known->is_active(now))
    return Error{ErrorCode::failure, "Reservation already started"};
  if (auto ok = set_times(d, !known || known->start != d.r.start); !ok) return ok.error();
  d.r.name = name && !name->empty() ? Text(*name) : Text(new_name(d.r));
  if (auto ok = choose_reserved_nodes(d); !ok) return ok.error();
  wire::ReservationsReply reply{.now = now, .reservations = {view_of(ledger.cluster(), d.r, now)}};
  ledger.record(ReservationChanged{.reservation = std::move(d.r)});
  ledger.want_plan();
  return reply;
}

}  // namespace muster::controller
