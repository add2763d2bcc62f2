// LicenseBook: how many licenses are free at a time, and for which jobs. Running jobs hold licenses
// until their time limits, promised jobs from their start on. A reservation's licenses are only for
// its own jobs.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "model/cluster.h"

namespace muster::sched {

class LicenseBook {
 public:
  using Counts = std::map<Text, std::uint32_t>;
  // The time of a run, and its reservation if it has one.
  struct Span {
    Time from, until;
    const Reservation* reservation = nullptr;
  };

  // Jobs in `gone` count as already gone.
  LicenseBook(const Cluster& cluster, Time now, const std::set<JobId>& gone = {});

  // `freed`: this many of the used licenses count as free.
  bool has(const Counts& wanted, const Span& run, const Counts& freed = {}) const;
  // The first time after `from` at which more licenses may become free; unset = never.
  std::optional<Time> next_release(const Counts& wanted, Time from) const;
  void use(const Licenses& licenses, const Span& run);

 private:
  struct Change {  // from then on `by` more (or fewer) are in use
    Time at;
    std::int64_t by = 0;
  };
  struct Pool {
    std::uint32_t all = 0;
    std::vector<Change> changes;  // ascending
  };
  struct Kept {  // kept by a reservation, beyond what its own jobs use
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
