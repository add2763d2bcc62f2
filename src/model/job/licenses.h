// Licenses: names and counts, as a job asks for them (--licenses), a reservation keeps them, and
// slurm.conf says which there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/containers/parsed_text.h"
#include "base/result.h"

namespace muster {

using Licenses = std::vector<std::pair<Text, std::uint32_t>>;

inline constexpr std::size_t kMostLicenses = 10'000;  // in one list

// "matlab:2,ansys", "matlab*2", "matlab:2;ansys"
Parsed<Licenses> parse_licenses(std::string_view text);

using LicenseList = ParsedText<parse_licenses>;

// None if the list is malformed.
const Licenses& licenses_in(const LicenseList& list);

}  // namespace muster
