// Result<T>: expected failures as values. A bug fails a CHECK instead (check.h) and stops the
// program.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <utility>

#include "base/error_code.h"

namespace muster {

struct Error {
  ErrorCode code = ErrorCode::failure;
  std::string detail;         // what the user should know beyond the code's own text; may be empty
  std::string advice;         // what would help, in words for people
  std::string nodes;          // names of nodes that it is about, separated by commas
  std::uint32_t wait_ms = 0;  // slow_down: ask again after this time

  // "<code's text>" or "<code's text>: <detail>"; the detail alone for a plain failure.
  std::string text() const;
  // What commands print. Scripts match the texts of Slurm's own codes, which stand alone.
  std::string shown() const;

  template <class V>
  void fields(V& v) {
    v(1, code);
    v(2, detail);
    v(3, advice);
    v(4, nodes);
    v(5, wait_ms);
  }
  bool operator==(const Error&) const = default;
};

template <class T = void>
using Result = std::expected<T, Error>;
// Of a text: the code says all that is wrong with it.
template <class T>
using Parsed = std::expected<T, ErrorCode>;

inline std::unexpected<Error> fail(ErrorCode code, std::string detail = {}) {
  return std::unexpected(Error{code, std::move(detail)});
}
// A failure that nobody tells from others, in words of its own.
inline std::unexpected<Error> fail(std::string detail) {
  return std::unexpected(Error{ErrorCode::failure, std::move(detail)});
}

}  // namespace muster
