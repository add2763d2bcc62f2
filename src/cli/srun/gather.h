// Contributions of a step's places to what their MPI tasks exchange, kept until all have come.
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
    std::vector<std::uint32_t> places;  // that have contributed and wait
    wire::Gathered gathered;
  };
  // Set when this was the last contribution that was missing.
  std::optional<Complete> add(std::uint32_t place, wire::Contribution contribution);

 private:
  // By name and members, so that other places cannot join.
  using Key = std::pair<std::string, std::vector<std::uint32_t>>;
  std::map<Key, std::map<std::uint32_t, std::string>> open_;
};

}  // namespace muster::cli
