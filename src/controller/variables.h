// Variables: an environment while it is being made, kept as the "NAME=value" entries that it will
// be. There are a few dozen of them, made for every launch: looking through is quicker than a map.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::controller {

class Variables {
 public:
  void set(std::string_view name, std::string_view value) {
    std::string* known = find(name);
    std::string& entry = known ? *known : entries_.emplace_back();
    entry.clear();
    entry.reserve(name.size() + 1 + value.size());
    entry.append(name).append(1, '=').append(value);
  }
  void set(std::initializer_list<std::string_view> names, std::string_view value) {
    for (std::string_view name : names) set(name, value);
  }
  // Where the other has it.
  void copy(std::string_view name, const Variables& from) {
    if (from.contains(name)) set(name, from[name]);
  }
  bool erase(std::string_view name) {
    return erase_if([&](std::string_view other) { return other == name; }) > 0;
  }
  template <class Predicate>
  std::size_t erase_if(Predicate&& is_unwanted) {  // of a name
    return std::erase_if(entries_, [&](const std::string& entry) {
      return is_unwanted(std::string_view(entry).substr(0, entry.find('=')));
    });
  }

  bool contains(std::string_view name) const {
    return const_cast<Variables*>(this)->find(name) != nullptr;
  }
  // Empty where it is not set.
  std::string operator[](std::string_view name) const {
    const std::string* entry = const_cast<Variables*>(this)->find(name);
    return entry ? entry->substr(name.size() + 1) : std::string();
  }
  std::vector<std::string> take() && { return std::move(entries_); }

 private:
  std::string* find(std::string_view name) {
    auto found = std::ranges::find_if(entries_, [&](const std::string& entry) {
      return entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name);
    });
    return found == entries_.end() ? nullptr : &*found;
  }

  std::vector<std::string> entries_;
};

}  // namespace muster::controller
