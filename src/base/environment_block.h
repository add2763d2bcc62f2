// Variables as they travel and are stored: "NAME=value" entries, each ended by a zero byte. Whoever
// passes them on need not take them apart.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

inline std::string environment_block(const std::vector<std::string>& entries) {
  std::string block;
  for (const std::string& entry : entries) block.append(entry).push_back('\0');
  return block;
}

// The entries of a block whose end may be missing.
inline std::vector<std::string> environment_entries(std::string_view block) {
  std::vector<std::string> entries;
  while (!block.empty()) {
    std::string_view entry = block.substr(0, block.find('\0'));
    block.remove_prefix(std::min(block.size(), entry.size() + 1));
    entries.emplace_back(entry);
  }
  return entries;
}

}  // namespace muster
