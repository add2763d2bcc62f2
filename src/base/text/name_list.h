// NameList: names separated by commas, such as the partitions or reservations that a job may use.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/containers/parsed_text.h"
#include "base/containers/text.h"

namespace muster {

// A text with more names is taken as one name, which nothing has.
inline constexpr std::size_t kMostNames = 10'000;

// The names in the order written, without blanks around them.
std::vector<Text> parse_names(std::string_view text);

using NameList = ParsedText<parse_names>;

// The first name, as long as the list is there; empty if there is none.
const Text& first_of(const NameList& names);
const Text& first_of(NameList&& names) = delete;
bool has_name(const NameList& names, std::string_view name);
NameList as_name_list(const std::vector<Text>& names);  // "a,b"

}  // namespace muster
