// LicenseBook: how many licenses are left, when and for whom. Running jobs hold theirs until their
// time limits, promised ones from their start on; reservations keep theirs from everybody else.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "model/cluster.h"

namespace muster::sched {

using Licenses = std::vector<std::pair<Text, std::uint32_t>>;

class LicenseBook {
 public:
  using Counts = std::map<Text, std::uint32_t>;
  // A run: when it would be, and in which reservation if any.
  struct Span {
    Time from, until;
    const Reservation* reservation = nullptr;
  };

  // As if the jobs in `gone` had left already.
  LicenseBook(const Cluster& cluster, Time now, const std::set<JobId>& gone = {});

  // `freed`: were so many not in use.
  bool has(const Counts& wanted, const Span& run, const Counts& freed = {}) const;
  // The first time not before `from` at which more may be there than just before; unset = never.
  std::optional<Time> next_release(const Counts& wanted, Time from) const;
  void use(const Licenses& licenses, const Span& run);

 private:
  struct Change {  // from then on so many more, or fewer, are in use
    Time at;
    std::int64_t by = 0;
  };
  struct Pool {
    std::uint32_t all = 0;
    std::vector<Change> changes;  // ascending
  };
  struct Kept {  // by one reservation, beyond what its own jobs use
    const Reservation* by = nullptr;
    Counts left;
  };
  std::uint64_t most_used(const Pool& pool, const Span& run) const;
  std::uint64_t kept_from(const Text& name, const Span& run) const;

  Time now_;
  std::map<Text, Pool> pools_;
  std::vector<Kept> kept_;
};

}  // namespace muster::sched
