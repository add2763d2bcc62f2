// The version of Slurm that our commands stand in for, and our own. Scripts read the second word of
// the -V line.
#pragma once

#include <string_view>

namespace muster {

inline constexpr std::string_view kSlurmVersion = "22.05.8";
inline constexpr std::string_view kVersionLine = "slurm 22.05.8 (Muster " MUSTER_VERSION ")";

}  // namespace muster
