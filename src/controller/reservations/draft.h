// A reservation while scontrol's arguments are applied to it: what they ask for, and the nodes and
// cores that follow. Nothing here changes the state.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/cluster.h"

namespace muster::controller {

struct ReservationDraft {
  const Cluster& cluster;
  Time now;
  bool create = false;
  Reservation r;
  std::optional<Minutes> duration;
  std::optional<std::uint32_t> node_count;
  std::vector<std::uint32_t> core_counts;  // one for all nodes together, or one per node
  bool nodes_named = false;
  bool time_changed = false;
  bool skip = false;  // skips the next occurrence of a repeating reservation
};

// A test checks that every key of wire/update_keys.h has one.
bool has_reservation_setter(std::string_view name);
Result<void> set_reservation_key(ReservationDraft& draft, std::string_view key,
                                 std::string_view value);

// Finds the requested number of nodes and cores, and checks that no other reservation has them at
// that time.
Result<void> choose_reserved_nodes(ReservationDraft& draft);

// The nodes after replacing those that are down or, with REPLACE, in use; nothing if all may stay.
std::optional<std::vector<NodeId>> replaced_nodes(const Cluster& cluster, const Reservation& r,
                                                  Time now);

// Its next start; nothing if it does not repeat.
std::optional<Time> next_occasion(const Reservation& r);

}  // namespace muster::controller
