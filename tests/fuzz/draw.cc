// Draws numbers and texts.
#include "fuzz/draw.h"

#include <array>
#include <cmath>
#include <iterator>

namespace muster::fuzz {

namespace {

constexpr std::array<std::uint64_t, 26> kNumbers = {
    0,          1,          10,         64,         100,
    255,        256,        1000,       65535,      65536,
    100'000,    1'000'000,  0x7fffffff, 0x80000000, 0xfffffff0,
    0xfffffffd, 0xfffffffe, 0xffffffff, 1ull << 32, 1'800'000'000,
    1ull << 44, 1ull << 62, INT64_MAX,  1ull << 63, UINT64_MAX - 1,
    UINT64_MAX,
};

// Names that exist in the cluster of the core's target, and words with a special meaning.
constexpr std::string_view kWords[] = {
    "n1",
    "n2",
    "n[1-4]",
    "n[1-3],n9",
    "n[0-999999]",
    "main",
    "other",
    "main,other",
    "nowhere",
    "gpu:1",
    "gpu:2",
    "gpu:v100:1",
    "gpu:a100:2",
    "gres:gpu:1",
    "gpu",
    "v100:1",
    "a",
    "b",
    "a&b",
    "a|b",
    "[a|b]",
    "[a*2&b*1]",
    "a*2",
    "((a))",
    "(a|b)&a",
    "afterok:1",
    "afterany:1:2",
    "after:1+5",
    "singleton",
    "afterok:1?afternotok:2",
    "aftercorr:1",
    "1",
    "2",
    "1_2",
    "1_[0-3]",
    "3+1",
    "1.0",
    "1.batch",
    "0-9",
    "0-9%2",
    "1-3:2",
    "normal",
    "high",
    "alice",
    "bob",
    "root",
    "lic:1",
    "lic",
    "lic:1000",
    "ALL",
    "NONE",
    "none",
    "yes",
    "no",
    "0",
    "-1",
    "+1",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "UNLIMITED",
    "INFINITE",
    "10",
    "1-00:00:00",
    "now",
    "now+1hour",
    "2027-01-15T08:00:00",
    "block",
    "cyclic:block",
    "plane=2",
    "arbitrary",
    "map_cpu:0,1",
    "mask_cpu:0x3",
    "rank",
    "verbose",
    "per_task:1",
    "single:2",
    "DRAIN",
    "RESUME",
    "DOWN",
    "IDLE",
    "FUTURE",
    "POWER_DOWN",
    "UP",
    "r1",
    "r2",
    "MAINT",
    "FLEX,DAILY",
    "cpu=2",
    "cpu=2,mem=100",
    "mem=1G",
    "node=2",
    "BEGIN,END",
    "/tmp/x",
    "%j_%A_%a.out",
    "",
};

const Seeds& test_words() {
  static const Seeds words =
      literals_of({"base", "model", "config", "sched", "wire", "controller"});
  return words;
}

// The keys of scontrol update, taken from the code that reads them.
const Seeds& update_keys() {
  static const Seeds keys =
      literals_of({"../../src/controller/update", "../../src/controller/reservations/nodes.cc"});
  return keys;
}

}  // namespace

std::uint64_t Draw::number() {
  std::uint32_t kind = byte();
  if (kind < 170) return kind % 8;
  if (kind < 190) return byte();
  if (kind < 248) return kNumbers[kind % kNumbers.size()];
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value = value << 8 | byte();
  return value;
}

double Draw::real() {
  constexpr double kReals[] = {0, 1, -1, 0.5, 1e-300, 1e300, INFINITY, -INFINITY, NAN};
  return kReals[below(std::size(kReals))];
}

std::string Draw::key() {
  if (byte() >= 230) return text();
  return update_keys()[below(static_cast<std::uint32_t>(update_keys().size()))];
}

std::string Draw::text() {
  std::uint32_t kind = byte();
  if (kind < 150) return std::string(kWords[below(std::size(kWords))]);
  if (kind < 200) return test_words()[below(static_cast<std::uint32_t>(test_words().size()))];
  if (kind < 230) {
    constexpr std::string_view kJoints = ",&|:=+-_[]()*%. \n";
    std::string joined = text();
    joined.push_back(kJoints[below(kJoints.size())]);
    return joined + text();
  }
  if (kind < 240) return std::to_string(number());
  if (kind < 250) {
    std::string raw;
    for (std::uint32_t n = below(32); n > 0; --n) raw.push_back(static_cast<char>(byte()));
    return raw;
  }
  std::string piece = text();
  std::string many;
  for (std::uint32_t n = below(4000); n > 0 && many.size() < 100'000; --n) many += piece;
  return many;
}

}  // namespace muster::fuzz
