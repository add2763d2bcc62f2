// Reservation: nodes, or some of their cores, and licenses, kept for certain users during a certain
// time (scontrol create reservation).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/containers/text.h"
#include "base/ids.h"
#include "base/text/idset.h"
#include "base/time.h"
#include "model/job/constraint.h"
#include "model/job/licenses.h"

namespace muster {

struct Reservation {
  Text name;
  Time start, end;                    // of a TIME_FLOAT one: as of its creation
  std::vector<NodeId> nodes;          // ascending
  std::vector<Text> users, accounts;  // who may use it; with "-" before each name, who may not
  FeatureExpression features;
  Text partition, comment;
  LicenseList licenses;     // "matlab:2,ansys:1"
  std::vector<Text> flags;  // in upper case: "MAINT", "DAILY", "FLEX", "IGNORE_JOBS", ...
  std::vector<Text> groups,
      group_members;        // groups instead of users, and their members at creation
  std::vector<IdSet> cpus;  // its CPUs on each node, parallel to `nodes`; empty = whole nodes
  Seconds max_start_delay{0};
  Seconds purge_after{0};    // PURGE_COMP: it ends after it was unused for this long
  std::uint32_t number = 0;  // in order of creation
  Seconds float_by{0};       // TIME_FLOAT: it always begins this long after now
  bool begun = false;        // its begin was handled: ResvProlog has run

  bool has(std::string_view flag) const;
  bool has_part_of_nodes() const { return !cpus.empty(); }
  bool holds_node(NodeId node) const;
  const IdSet* cpus_on(NodeId node) const;  // nullptr = the whole node; requires holds_node(node)
  Time start_seen(Time now) const { return has("TIME_FLOAT") ? now + float_by : start; }
  Time end_seen(Time now) const { return start_seen(now) + (end - start); }
  bool is_active(Time now) const { return start_seen(now) <= now && now < end_seen(now); }
  bool reaches_into(Time from,
                    Time until) const;  // does it overlap with this time?
  bool admits(const Text& user, const Text& account) const;

  bool operator==(const Reservation&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, name);
    v(2, start);
    v(3, end);
    v(4, nodes);
    v(5, users);
    v(6, accounts);
    v(7, features);
    v(8, partition);
    v(9, comment);
    v(10, licenses);
    v(11, flags);
    v(150, groups);
    v(151, group_members);
    v(152, cpus);
    v(153, max_start_delay);
    v(154, purge_after);
    v(155, number);
    v(156, float_by);
    v(190, begun);
  }
};

// Expands an abbreviated flag: "MAINT" for "mai", "PURGE_COMP" for "purge_comp=5".
std::optional<std::string_view> reservation_flag(std::string_view text);
// The flags in the order of `scontrol show`, PURGE_COMP with its time.
std::string flags_text(const Reservation& reservation);

// May jobs of one reservation also use what the other one holds?
bool may_overlap(const Reservation& a, const Reservation& b);

}  // namespace muster
