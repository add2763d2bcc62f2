// LicenseBook: how many licenses are left, for whom. Reservations keep theirs from everybody else.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "model/cluster.h"

namespace muster::sched {

using Licenses = std::vector<std::pair<Text, std::uint32_t>>;

class LicenseBook {
 public:
  explicit LicenseBook(const Cluster& cluster);

  // Would they be there for a run during this time, in this reservation if any?
  bool has(const std::map<Text, std::uint32_t>& wanted, Time from, Time until,
           const Reservation* own) const;
  void use(const Licenses& licenses, const Text& reservation);

 private:
  struct Kept {  // by one reservation, beyond what its own jobs use
    const Reservation* by = nullptr;
    std::map<Text, std::uint32_t> left;
  };
  std::map<Text, std::uint32_t> free_;
  std::vector<Kept> kept_;
};

}  // namespace muster::sched
