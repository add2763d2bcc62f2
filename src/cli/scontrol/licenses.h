// scontrol show licenses.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "cli/scontrol/session.h"
#include "model/job/licenses.h"

namespace muster::cli {

struct LicenseCount {
  std::uint64_t total = 0, used = 0, reserved = 0;
};
using LicenseCounts = std::map<std::string, LicenseCount, std::less<>>;

// Adds licenses to the numbers that `which` selects; unknown licenses are ignored.
void count_licenses(const Licenses& licenses, std::uint64_t LicenseCount::* which,
                    LicenseCounts& counts);
std::string license_text(const std::string& name, const LicenseCount& count, bool one_line);
void show_licenses(ScontrolSession& session, const std::string& name);

}  // namespace muster::cli
