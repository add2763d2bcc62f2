#include "sched/license_book.h"

#include <algorithm>

#include "sched/request.h"

namespace muster::sched {

namespace {

void subtract(std::map<Text, std::uint32_t>& from, const Licenses& licenses) {
  for (const auto& [name, count] : licenses)
    if (auto at = from.find(name); at != from.end()) at->second -= std::min(at->second, count);
}

std::map<Text, std::uint32_t> licenses_of(const Cluster& cluster, const Reservation& r) {
  std::map<Text, std::uint32_t> held;
  // One that the configuration no longer has is held by nobody.
  if (auto parsed = parse_licenses(cluster, r.licenses))
    for (const auto& [name, count] : *parsed) held[name] += count;
  return held;
}

}  // namespace

LicenseBook::LicenseBook(const Cluster& cluster) {
  for (const auto& [name, count] : cluster.settings().licenses) free_[name] = count;
  for (const Reservation& r : *cluster.reservations)
    if (!r.licenses.empty()) kept_.push_back({&r, licenses_of(cluster, r)});
  for (std::uint32_t id : cluster.active.ids()) {
    const Job& job = cluster.jobs.at(JobId{id});
    if (job.spec->licenses.empty()) continue;
    if (auto held = parse_licenses(cluster, job.spec->licenses)) use(*held, job.reservation);
  }
}

bool LicenseBook::has(const std::map<Text, std::uint32_t>& wanted, Time from, Time until,
                      const Reservation* own) const {
  return std::ranges::all_of(wanted, [&](const auto& want) {
    const auto& [name, count] = want;
    auto at = free_.find(name);
    if (at == free_.end()) return false;
    std::uint64_t taken = count;
    for (const Kept& kept : kept_) {
      if (kept.by == own || !kept.by->reaches_into(from, until)) continue;
      if (auto left = kept.left.find(name); left != kept.left.end()) taken += left->second;
    }
    return taken <= at->second;
  });
}

void LicenseBook::use(const Licenses& licenses, const Text& reservation) {
  subtract(free_, licenses);
  if (reservation.empty()) return;
  for (Kept& kept : kept_)
    if (kept.by->name == reservation) subtract(kept.left, licenses);
}

}  // namespace muster::sched
