// strigger: programs that slurmctld runs when something happens.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/codec/codec.h"
#include "model/trigger.h"

namespace muster::wire {

struct SetTriggerRequest {
  Trigger trigger;  // its id and its owner are the controller's to fill in
  template <class V>
  void fields(V& v) {
    v(1, trigger);
  }
};

// Those that are all of what is given.
struct ClearTriggersRequest {
  std::uint32_t id = 0;
  JobId job;
  std::optional<Uid> user;
  template <class V>
  void fields(V& v) {
    v(1, id);
    v(2, job);
    v(3, user);
  }
};

struct TriggersRequest {
  template <class V>
  void fields(V&) {}
};
struct TriggersReply {
  std::vector<Trigger> triggers;
  template <class V>
  void fields(V& v) {
    v(1, triggers);
  }
};

}  // namespace muster::wire
