// Trigger: a program of a user that slurmctld runs when something happens to a job, to nodes, or to
// the cluster (strigger).
#pragma once

#include <cstdint>
#include <string_view>

#include "base/containers/text.h"
#include "base/ids.h"
#include "base/time.h"

namespace muster {

enum class TriggerEvent : std::uint8_t {
  job_time,  // its time limit
  job_end,
  node_down,
  node_up,
  node_drained,
  node_fail,
  node_idle,  // for the time of the offset
  reconfigured,
  controller_resumed,
  database_failed,
  database_resumed,
};
constexpr TriggerEvent last_of(TriggerEvent) { return TriggerEvent::database_resumed; }

struct Trigger {
  std::uint32_t id = 0;
  TriggerEvent event = TriggerEvent::job_end;
  JobId job;          // that it is about, or whose nodes
  Text nodes;         // a hostlist; empty = all, or those of the job
  Seconds offset{0};  // from the event to the program
  Uid uid;            // runs the program
  Gid gid;
  Text program;  // and its arguments, with blanks between them
  bool permanent = false;
  // Once it has been pulled:
  Time due;
  Text about;  // the program's last argument: nodes, a job, or the name of the event
  bool operator==(const Trigger&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, id);
    v(2, event);
    v(3, job);
    v(4, nodes);
    v(5, offset);
    v(6, uid);
    v(7, gid);
    v(8, program);
    v(9, permanent);
    v(10, due);
    v(11, about);
  }
};

// Slurm's word for the event, which is also what a program is told where there is neither a job nor
// a node.
std::string_view event_name(TriggerEvent event);

// What a request is told that changes nothing.
inline constexpr std::string_view kDuplicateTrigger = "Duplicate event trigger",
                                  kNoSuchTrigger = "No such process";

constexpr bool is_about_job(TriggerEvent event) {
  return event == TriggerEvent::job_time || event == TriggerEvent::job_end;
}
constexpr bool is_about_nodes(TriggerEvent event) {
  return event >= TriggerEvent::node_down && event <= TriggerEvent::node_idle;
}

}  // namespace muster
