// Keys that set several members, or a member that is not simply their value.
#pragma once

#include <string_view>

#include "base/text/strings.h"
#include "config/keys/rows.h"
#include "config/keys/settings.h"
#include "model/cluster.h"

namespace muster::config {

// AccountingStorageEnforce: some words imply others.
struct Enforced {
  bool associations = false, limits = false, qos = false, safe = false, wckeys = false;
};
Enforced parse_enforced(std::string_view value);

void set_enforcement(Settings& s, std::string_view value);
void set_part_limits(Settings& s, std::string_view value);        // EnforcePartLimits
void set_select_parameters(Settings& s, std::string_view value);  // SelectTypeParameters
void set_meeting_ports(Settings& s, std::string_view value);      // RendezvousPorts
void set_dampening(FairShareSettings& s, std::string_view value);
void set_usage_reset(FairShareSettings& s, std::string_view value);
void set_preempt_type(PreemptSettings& s, std::string_view value);
void set_preempt_mode(PreemptSettings& s, std::string_view value);
void set_exempt_time(PreemptSettings& s, std::string_view value);
void set_sampling(NodeSettings& s, std::string_view value);  // JobAcctGatherFrequency

// PrologEpilogTimeout: 65534 and above mean no timeout.
template <auto member>
void program_timeout(ClassOf<member>& c, std::string_view value) {
  constexpr std::uint32_t kNone = 65534;
  const auto seconds = parse_number<std::uint32_t>(value);
  c.*member = Seconds{seconds && *seconds < kNone ? *seconds : 0};
}

}  // namespace muster::config
