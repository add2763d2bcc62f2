// hostlist: Slurm's expressions for lists of host names, such as "n[1-3,07-10],gpu[0-1]".
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster {

inline constexpr std::size_t kMaxHosts = 1'000'000;
inline constexpr std::size_t kMaxHostName = 255;          // bytes of one name
inline constexpr std::size_t kMaxHostBytes = 64ul << 20;  // all names of a list together

// Passes the names of a list to visit(), one by one in the order written, until it returns false.
// Names that are not visited cost nothing.
using HostVisitor = std::function<bool(std::string_view name)>;
Result<void> each_host(std::string_view expression, const HostVisitor& visit);

// All names in the order written, duplicates kept. Several bracket groups multiply out; zero
// padding is kept; names may be separated by commas outside of brackets.
Result<std::vector<std::string>> expand_hostlist(std::string_view expression);

// The shortest expression for these names in the order given ("n[1-3,7],x[01-02]"); runs of
// consecutive numbers with the same prefix and padding become ranges. An empty list gives "".
std::string compress_hostlist(const std::vector<std::string>& names);

// The same after sorting by prefix and number and dropping duplicates.
std::string compress_hostlist_sorted(const std::vector<std::string>& names);

// Sorts names as Slurm lists nodes: by prefix, then by number (n2 before n10).
bool host_less(std::string_view a, std::string_view b);

}  // namespace muster
