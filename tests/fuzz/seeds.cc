// The initial inputs of targets: texts of the unit tests, and random bytes.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>

#include "fuzz/target.h"

namespace muster::fuzz {

namespace {

char unescaped(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case '0':
      return '\0';
    default:
      return c;
  }
}

// R"( ... )" without a delimiter, which nothing here uses.
std::size_t raw_literal(std::string_view source, std::size_t at, std::string& out) {
  std::size_t end = source.find(")\"", at);
  if (end == source.npos) return source.size();
  out = source.substr(at, end - at);
  return end + 2;
}

std::size_t literal(std::string_view source, std::size_t at, std::string& out) {
  for (; at < source.size() && source[at] != '"' && source[at] != '\n'; ++at) {
    if (source[at] == '\\' && at + 1 < source.size())
      out.push_back(unescaped(source[++at]));
    else
      out.push_back(source[at]);
  }
  return at + 1;
}

void add_literals(std::string_view source, std::set<std::string>& found) {
  for (std::size_t at = source.find('"'); at < source.size(); at = source.find('"', at)) {
    std::string text;
    if (at > 0 && source[at - 1] == 'R' && source.substr(at + 1, 1) == "(")
      at = raw_literal(source, at + 2, text);
    else if (at > 0 && source[at - 1] == '\'')  // '"'
      ++at;
    else
      at = literal(source, at + 1, text);
    if (!text.empty() && !text.ends_with(".h")) found.insert(std::move(text));
  }
}

void add_file(const std::filesystem::path& path, std::set<std::string>& found) {
  std::ifstream file(path, std::ios::binary);
  std::string source((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  add_literals(source, found);
}

}  // namespace

std::vector<Target>& targets() {
  static std::vector<Target> all;
  return all;
}

Seeds literals_of(const std::vector<std::string>& places) {
  namespace fs = std::filesystem;
  std::set<std::string> found;
  for (const std::string& place : places) {
    fs::path path = fs::path(MUSTER_UNIT_TESTS) / place;
    if (fs::is_regular_file(path)) {
      add_file(path, found);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(path))
      if (entry.path().extension() == ".cc") add_file(entry.path(), found);
  }
  if (found.empty()) broken("there are no tests to take seeds from");
  return {found.begin(), found.end()};
}

Seeds dice_rolls() {
  Seeds rolls;
  std::minstd_rand dice(1);
  for (std::size_t size = 16; size <= 1024; size += 16) {
    std::string& bytes = rolls.emplace_back();
    while (bytes.size() < size) bytes.push_back(static_cast<char>(dice() >> 8));
  }
  return rolls;
}

void broken(std::string_view what) {
  std::fprintf(stderr, "fuzz: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

}  // namespace muster::fuzz
