// scontrol show licenses.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "cli/scontrol/session.h"

namespace muster::cli {

struct LicenseCount {
  std::uint64_t total = 0, used = 0, reserved = 0;
};
using LicenseCounts = std::map<std::string, LicenseCount, std::less<>>;

// Adds "matlab:2,ansys" to the numbers that `which` selects; unknown licenses are ignored.
void count_licenses(std::string_view text, std::uint64_t LicenseCount::* which,
                    LicenseCounts& counts);
std::string license_text(const std::string& name, const LicenseCount& count, bool one_line);
void show_licenses(ScontrolSession& session, const std::string& name);

}  // namespace muster::cli
