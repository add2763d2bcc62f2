// A fuzz target: a name, a function of the fuzzer's bytes, and its initial inputs. Files register
// targets with FUZZ_TARGET; main.cc selects one by --target=NAME.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::fuzz {

using Seeds = std::vector<std::string>;

struct Target {
  std::string_view name;
  void (*run)(std::string_view bytes);
  Seeds (*seeds)();
};

std::vector<Target>& targets();

struct Registration {
  explicit Registration(Target target) { targets().push_back(target); }
};

// Every string literal of the unit tests in these folders ("base", "config"), or of one file
// ("base/date_test.cc"): what a parser should read, and what it should refuse.
Seeds literals_of(const std::vector<std::string>& places);
// Random bytes, for targets that draw their values from them (draw.h).
Seeds dice_rolls();

// Ends the program with a report when a property does not hold.
[[noreturn]] void broken(std::string_view what);
inline void require(bool holds, std::string_view what) {
  if (!holds) broken(what);
}

}  // namespace muster::fuzz

// FUZZ_TARGET(hostlist, literals_of({"base"})) { use(bytes); }
#define FUZZ_TARGET(NAME, ...)                                                    \
  static void fuzz_##NAME(std::string_view bytes);                                \
  static const muster::fuzz::Registration registration_##NAME(                    \
      {#NAME, fuzz_##NAME, []() -> muster::fuzz::Seeds { return __VA_ARGS__; }}); \
  static void fuzz_##NAME([[maybe_unused]] std::string_view bytes)
