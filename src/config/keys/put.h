// Stores a checked value of slurm.conf in a member, according to the member's type. An empty value
// leaves a number unchanged.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/containers/text.h"
#include "base/text/idset.h"
#include "base/time.h"
#include "config/keys/type.h"

namespace muster::config {

void put(std::string& to, const Type& type, std::string_view value);
void put(Text& to, const Type& type, std::string_view value);
void put(bool& to, const Type& type, std::string_view value);           // true for yes
void put(std::uint16_t& to, const Type& type, std::string_view value);  // the first port of a range
// INFINITE is the largest number.
void put(std::uint32_t& to, const Type& type, std::string_view value);
void put(Seconds& to, const Type& type, std::string_view value);
void put(Minutes& to, const Type& type, std::string_view value);
void put(std::optional<std::uint32_t>& to, const Type& type, std::string_view value);
void put(std::optional<Seconds>& to, const Type& type, std::string_view value);
// MiB; 0 and UNLIMITED set no bound.
void put(std::optional<std::uint64_t>& to, const Type& type, std::string_view value);
// Exit codes, or ports that a word names.
void put(IdSet& to, const Type& type, std::string_view value);
void put(std::vector<Text>& to, const Type& type, std::string_view value);
void put(std::vector<std::pair<Text, std::uint32_t>>& to, const Type& type, std::string_view value);
void put(std::vector<std::pair<Text, double>>& to, const Type& type, std::string_view value);

// "a:2,b*3,c": licenses. Unset if a name or a count is missing.
std::optional<std::vector<std::pair<Text, std::uint32_t>>> parse_licenses(std::string_view text);
// "CPU=1000,Mem=0.5,GRES/gpu=3000": weights of resources.
std::optional<std::vector<std::pair<Text, double>>> parse_tres_weights(std::string_view text);

}  // namespace muster::config
