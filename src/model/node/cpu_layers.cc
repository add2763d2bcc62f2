#include "model/node/cpu_layers.h"

namespace muster {

void CpuLayers::add(IdSet cpus) {
  for (IdSet& layer : layers) {
    IdSet held_here_too = layer.intersect(cpus);
    layer.merge(cpus);
    cpus = std::move(held_here_too);
  }
  if (!cpus.empty()) layers.push_back(std::move(cpus));
}

IdSet CpuLayers::remove(IdSet cpus) {
  for (std::size_t i = layers.size(); i-- > 0;) {
    IdSet here = layers[i].intersect(cpus);
    layers[i].subtract(here);
    cpus.subtract(here);
  }
  while (!layers.empty() && layers.back().empty()) layers.pop_back();
  return cpus;
}

IdSet CpuLayers::beyond(std::size_t holders, const IdSet& cpus) const {
  if (holders == 0) return cpus;
  return holders <= layers.size() ? layers[holders - 1].intersect(cpus) : IdSet{};
}

}  // namespace muster
