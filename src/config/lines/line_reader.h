// Typed access to the values of one line of slurm.conf. Remembers the first error.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "config/keys/source.h"
#include "config/lines/node_line.h"

namespace muster::config {

class LineReader {
 public:
  LineReader(const Location& at, const Values& values) : at_(at), values_(values) {}

  bool has(std::string_view key) const { return values_.find(key) != values_.end(); }
  std::string text(std::string_view key, std::string_view fallback = {}) const {
    auto found = values_.find(key);
    return found == values_.end() ? std::string(fallback) : found->second;
  }
  // The result of `parse`; an empty one is an error.
  template <class Parse>
  auto parsed(std::string_view key, const Parse& parse, std::string_view expected) {
    auto value = parse(text(key));
    if (!value) reject(key, expected);
    return value;
  }
  void reject(std::string_view key, std::string_view expected) {
    if (!error_) error_ = bad_value(at_, Setting{std::string(key), text(key)}, expected).error();
  }
  Result<void> done() const { return error_ ? std::unexpected(*error_) : Result<void>{}; }

 private:
  const Location& at_;
  const Values& values_;
  std::optional<Error> error_;
};

}  // namespace muster::config
