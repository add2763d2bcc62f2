// size: amounts of memory and disk in MiB, and counts, in Slurm's spellings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster {

// "100", "512K", "4G", "1.5T", "1GB", "512MB", "1GiB"; a bare number is in MiB; rounds up.
std::optional<std::uint64_t> parse_mib(std::string_view text);

// "500M", "1G", "62.50G", "16000M": as scontrol and squeue print memory. The unit is the largest
// that gives a whole or a half number.
std::string format_mib(std::uint64_t mib);

// A count with k/m/g/t (1024) suffix: gres counts. "4", "2K".
std::optional<std::uint64_t> parse_count(std::string_view text);

}  // namespace muster
