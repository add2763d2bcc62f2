// Between slurmctld and slurmctld-hooks, which runs the site's submit scripts: what a user asks
// for, in Slurm's names (wire/hook_fields.h), and what the scripts make of it. One call at a time;
// lines for the log and for the user come while a script runs, and the answer last.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/codec/codec.h"

namespace muster::wire {

// A field that is given: a text or a number.
struct HookField {
  std::string name;
  std::optional<std::string> text;
  std::optional<std::uint64_t> number;
  template <class V>
  void fields(V& v) {
    v(1, name);
    v(2, text);
    v(3, number);
  }
  bool operator==(const HookField&) const = default;
};
using HookFields = std::vector<HookField>;

// A job, a component of a heterogeneous job, or a partition.
struct HookPart {
  HookFields given;
  std::vector<std::string> argv;
  std::optional<std::string> environment;  // of batch jobs: the bytes of a StringBlock
  template <class V>
  void fields(V& v) {
    v(1, given);
    v(2, argv);
    v(3, environment);
  }
};

// Loads a script. The one that is loaded stays in force if this one is bad.
struct HookLoad {
  std::string source;
  template <class V>
  void fields(V& v) {
    v(1, source);
  }
};
struct HookCall {
  bool modifies = false;        // scontrol update; otherwise a submission
  std::uint32_t uid = 0;        // who asks
  std::vector<HookPart> parts;  // the job or its components; one update for each job
  std::vector<HookPart> jobs;   // the jobs of an update, parallel to `parts`
  std::vector<HookPart> partitions;
  template <class V>
  void fields(V& v) {
    v(1, modifies);
    v(2, uid);
    v(3, parts);
    v(4, jobs);
    v(5, partitions);
  }
};
struct HookRequest {
  std::variant<HookLoad, HookCall> request;
  template <class V>
  void fields(V& v) {
    v(1, request);
  }
};

enum class HookLevel : std::uint8_t { user, error, info, verbose, debug };
constexpr HookLevel last_of(HookLevel) { return HookLevel::debug; }
struct HookLine {
  HookLevel level = HookLevel::user;
  std::string text;
  template <class V>
  void fields(V& v) {
    v(1, level);
    v(2, text);
  }
};
struct HookVariable {
  std::string name;
  std::optional<std::string> value;  // unset: the variable is removed
  template <class V>
  void fields(V& v) {
    v(1, name);
    v(2, value);
  }
};
// What the scripts changed in one part.
struct HookChanges {
  HookFields set;
  std::vector<HookVariable> environment;
  template <class V>
  void fields(V& v) {
    v(1, set);
    v(2, environment);
  }
};
struct HookAnswer {
  std::int32_t code = 0;               // 0 = the request is accepted; else Slurm's number
  std::optional<std::string> failure;  // the script, not the request, is at fault
  std::string refusal;                 // the reason in words, instead of the number's text
  std::vector<HookChanges> parts;
  template <class V>
  void fields(V& v) {
    v(1, code);
    v(2, failure);
    v(3, refusal);
    v(4, parts);
  }
};
struct HookReply {
  std::variant<HookLine, HookAnswer> reply;
  template <class V>
  void fields(V& v) {
    v(1, reply);
  }
};

inline constexpr std::size_t kMostHookBytes = 64u << 20;  // of one frame
inline constexpr std::size_t kMostHookLines = 200;        // for the user
inline constexpr std::size_t kMostHookLineBytes = 4096;

}  // namespace muster::wire
