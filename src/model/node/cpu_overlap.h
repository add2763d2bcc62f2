// CpuOverlap: counts the holders of CPUs that more than one job holds at a time.
#pragma once

#include <vector>

#include "base/text/idset.h"

namespace muster {

struct CpuOverlap {
  std::vector<IdSet> layers;  // layer i: held by at least i + 2 jobs; the last one is not empty

  void add(IdSet cpus);      // one more job holds these CPUs
  IdSet remove(IdSet cpus);  // one job less; returns the CPUs that no other job holds
  // The CPUs that more than `holders` jobs hold. Requires that `cpus` are held at all.
  IdSet beyond(std::size_t holders, const IdSet& cpus) const;
  bool operator==(const CpuOverlap&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, layers);
  }
};

}  // namespace muster
