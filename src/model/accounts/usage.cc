// Decays and adds up usage.
#include "model/accounts/usage.h"

#include <cmath>

namespace muster {

void PastUse::add(const PastUse& more) {
  raw += more.raw;
  wall_s += more.wall_s;
  for (const auto& [name, seconds] : more.tres_s) tres_s[name] += seconds;
}

PastUse PastUse::at(Time now, Seconds half_life) const {
  PastUse rest = *this;
  rest.as_of = now;
  if (half_life.count() == 0 || now <= as_of) return rest;
  const double part = std::exp2(-std::chrono::duration<double>(now - as_of) /
                                std::chrono::duration<double>(half_life));
  rest.raw *= part;
  rest.wall_s *= part;
  for (auto& [name, seconds] : rest.tres_s) seconds *= part;
  return rest;
}

}  // namespace muster
