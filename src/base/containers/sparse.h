// Sparse<T>: a value that is mostly the default. The default takes a pointer and no other memory.
// Other values are shared between copies until one of them is edited, like a Cow.
#pragma once

#include <utility>

#include "base/containers/cow.h"

namespace muster {

template <class T>
class Sparse {
 public:
  Sparse() = default;                            // the default value
  Sparse(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor): it is a T

  const T& operator*() const { return value_ ? *value_ : default_value(); }
  const T* operator->() const { return &**this; }
  bool is_default() const { return !value_; }  // if false, the value may still equal the default

  // Returns the value for changes; see Cow::edit.
  T& edit() {
    if (!value_) return value_.emplace();
    return value_.edit();
  }

  friend bool operator==(const Sparse& a, const Sparse& b) {
    return a.value_ == b.value_ || *a == *b;
  }

 private:
  static const T& default_value() {
    static const T value{};
    return value;
  }
  Cow<T> value_;
};

}  // namespace muster
