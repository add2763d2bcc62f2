// Variables: an environment under construction, kept as "NAME=value" entries in one piece of
// memory. Each launch makes a few dozen of them: searching them all is quicker than a map.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/string_block.h"

namespace muster::controller {

class Variables {
 public:
  Variables() {
    bytes_.reserve(kUsualBytes);
    entries_.reserve(kUsualEntries);
  }

  void set(std::string_view name, std::string_view value) {
    erase(name);
    add(name, value);
  }
  // Adds a variable that is not there yet. A zero byte ends the value, as execve would: the rest
  // must not become an entry of its own.
  void add(std::string_view name, std::string_view value) {
    value = value.substr(0, value.find('\0'));
    entries_.push_back({static_cast<std::uint32_t>(bytes_.size()),
                        static_cast<std::uint32_t>(name.size()),
                        static_cast<std::uint32_t>(value.size())});
    bytes_.append(name).append(1, '=').append(value).push_back('\0');
  }
  void set(std::initializer_list<std::string_view> names, std::string_view value) {
    for (std::string_view name : names) set(name, value);
  }
  void add(std::initializer_list<std::string_view> names, std::string_view value) {
    for (std::string_view name : names) add(name, value);
  }
  // Copies the variable if the other has it.
  void copy(std::string_view name, const Variables& from) {
    if (const Entry* entry = from.find(name)) set(name, from.value_of(*entry));
  }
  bool erase(std::string_view name) {
    const Entry* known = find(name);
    if (known) forget(entries_.begin() + (known - entries_.data()));
    return known != nullptr;
  }
  template <class Predicate>
  void erase_if(Predicate&& is_unwanted) {  // of a name
    for (auto entry = entries_.begin(); entry != entries_.end();)
      entry = is_unwanted(name_of(*entry)) ? forget(entry) : entry + 1;
  }

  bool contains(std::string_view name) const { return find(name) != nullptr; }
  // Empty if it is not set.
  std::string operator[](std::string_view name) const {
    const Entry* entry = find(name);
    return entry ? std::string(value_of(*entry)) : std::string();
  }
  StringBlock take() && {
    if (!has_gaps_) return StringBlock(std::move(bytes_));
    StringBlock block;
    for (const Entry& entry : entries_)
      block.push_back(std::string_view(bytes_).substr(entry.at, entry.size()));
    return block;
  }

 private:
  static constexpr std::size_t kUsualBytes = 1536, kUsualEntries = 40;

  struct Entry {
    std::uint32_t at, name_size, value_size;
    std::size_t size() const { return std::size_t{name_size} + 1 + value_size; }
  };

  std::string_view name_of(const Entry& entry) const {
    return std::string_view(bytes_).substr(entry.at, entry.name_size);
  }
  std::string_view value_of(const Entry& entry) const {
    return std::string_view(bytes_).substr(entry.at + entry.name_size + 1, entry.value_size);
  }
  const Entry* find(std::string_view name) const {
    for (const Entry& entry : entries_)
      if (entry.name_size == name.size() && name_of(entry) == name) return &entry;
    return nullptr;
  }
  // Removes the entry; its bytes stay until take().
  std::vector<Entry>::iterator forget(std::vector<Entry>::iterator entry) {
    has_gaps_ = true;
    return entries_.erase(entry);
  }

  std::string bytes_;
  std::vector<Entry> entries_;
  bool has_gaps_ = false;
};

}  // namespace muster::controller
