// Which Slurm our commands stand in for, and which Muster they are. Tools take the second word of
// -V.
#pragma once

#include <string_view>

namespace muster {

inline constexpr std::string_view kSlurmVersion = "22.05.8";
inline constexpr std::string_view kVersionLine = "slurm 22.05.8 (Muster " MUSTER_VERSION ")";

}  // namespace muster
