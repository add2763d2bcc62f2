// Contributions of a step's places to the exchange of their MPI tasks, kept until all have arrived.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "wire/step_messages.h"

namespace muster::cli {

class GatherBook {
 public:
  struct Complete {
    std::vector<std::uint32_t> places;  // places that have contributed and wait
    wire::Gathered gathered;
  };
  // Set if this was the last missing contribution.
  std::optional<Complete> add(std::uint32_t place, wire::Contribution contribution);

 private:
  // Name and members, so that other places cannot join.
  using Key = std::pair<std::string, std::vector<std::uint32_t>>;
  std::map<Key, std::map<std::uint32_t, std::string>> open_;
};

}  // namespace muster::cli
