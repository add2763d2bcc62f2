// CpuLayers: CPUs that more than one job holds at a time.
#pragma once

#include <vector>

#include "base/text/idset.h"

namespace muster {

struct CpuLayers {
  std::vector<IdSet> layers;  // layer i: held by at least i + 2 jobs; the last one is not empty

  void add(IdSet cpus);      // held by one job more
  IdSet remove(IdSet cpus);  // by one less; returned are those that only one job held
  // Those of `cpus` that more than `holders` jobs hold, as far as they are held at all.
  IdSet beyond(std::size_t holders, const IdSet& cpus) const;
  bool operator==(const CpuLayers&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, layers);
  }
};

}  // namespace muster
