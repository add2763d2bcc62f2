// usage_row: what was used in a span of time, as sreport shows it. Rows are made from the records
// of jobs, nodes and reservations (accounting/interval_use.h), and can be added up.
#pragma once

#include <cstdint>
#include <vector>

#include "base/containers/text.h"
#include "base/time.h"

namespace muster {

enum class UsageKind : std::uint8_t { association, wckey, cluster };
constexpr UsageKind last_of(UsageKind) { return UsageKind::cluster; }

enum class UsageSpan : std::uint8_t { hour, day, month };

// Of one resource: amounts times seconds.
struct TresUse {
  Text tres;                // "cpu", "mem" (in MiB), "gres/gpu"
  std::uint64_t count = 0;  // of a cluster: how many it had at last
  std::uint64_t allocated = 0;
  // Of a cluster only. `over`: what waited for resources beyond what was there.
  std::uint64_t total = 0, down = 0, planned_down = 0, idle = 0, planned = 0, over = 0;
  bool operator==(const TresUse&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, tres);
    v(2, count);
    v(3, allocated);
    v(4, total);
    v(5, down);
    v(6, planned_down);
    v(7, idle);
    v(8, planned);
    v(9, over);
  }
};

struct UsageRow {
  UsageKind kind = UsageKind::association;
  Text cluster, account, user, wckey;  // as far as the kind has them
  std::vector<TresUse> use;            // ascending by name
  bool operator==(const UsageRow&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, kind);
    v(2, cluster);
    v(3, account);
    v(4, user);
    v(5, wckey);
    v(6, use);
  }
};

}  // namespace muster
