// Adds and removes holders, layer by layer.
#include "model/node/cpu_overlap.h"

namespace muster {

void CpuOverlap::add(IdSet cpus) {
  for (IdSet& layer : layers) {
    IdSet held_here_too = layer.intersect(cpus);
    layer.merge(cpus);
    cpus = std::move(held_here_too);
  }
  if (!cpus.empty()) layers.push_back(std::move(cpus));
}

IdSet CpuOverlap::remove(IdSet cpus) {
  for (std::size_t i = layers.size(); i-- > 0;) {
    IdSet here = layers[i].intersect(cpus);
    layers[i].subtract(here);
    cpus.subtract(here);
  }
  while (!layers.empty() && layers.back().empty()) layers.pop_back();
  return cpus;
}

IdSet CpuOverlap::beyond(std::size_t holders, const IdSet& cpus) const {
  if (holders == 0) return cpus;
  return holders <= layers.size() ? layers[holders - 1].intersect(cpus) : IdSet{};
}

}  // namespace muster
