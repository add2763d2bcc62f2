// Result<T>: expected failures as values. A bug fails a CHECK instead (check.h) and stops the
// program.
#pragma once

#include <expected>
#include <string>
#include <utility>

#include "base/error_code.h"

namespace muster {

struct Error {
  ErrorCode code = ErrorCode::failure;
  std::string detail;  // what the user should know beyond the code's own text; may be empty

  // "<code's text>" or "<code's text>: <detail>"; the detail alone for a plain failure.
  std::string text() const;

  template <class V>
  void fields(V& v) {
    v(1, code);
    v(2, detail);
  }
  bool operator==(const Error&) const = default;
};

template <class T = void>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(ErrorCode code, std::string detail = {}) {
  return std::unexpected(Error{code, std::move(detail)});
}
inline std::unexpected<Error> fail(std::string detail) {
  return std::unexpected(Error{ErrorCode::failure, std::move(detail)});
}

}  // namespace muster
