// Compares the key of an srun with that of its step.
#pragma once

#include <string_view>

namespace muster::step {

// Takes constant time, so that an attacker cannot guess the key character by character.
inline bool same_key(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace muster::step
