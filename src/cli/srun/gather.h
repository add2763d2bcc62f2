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
    std::vector<std::uint32_t> places;  // who contributed and waits
    wire::Gathered gathered;
  };
  // Something once this was the last one that was missing.
  std::optional<Complete> add(std::uint32_t place, wire::Contribution contribution);

 private:
  // By name and members, so that nobody is let in who was not meant.
  using Key = std::pair<std::string, std::vector<std::uint32_t>>;
  std::map<Key, std::map<std::uint32_t, std::string>> open_;
};

}  // namespace muster::cli
