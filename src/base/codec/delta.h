// Delta<T>: which fields of a struct change, and what they become. It is found by comparing two
// values, so that an event carries only what differs. T lists its fields as for the codec, and each
// can be compared.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/containers/cow.h"

namespace muster {

template <class T>
class Delta {
 public:
  Delta() = default;  // changes nothing
  static Delta between(const T& before, const T& after) {
    Delta delta;
    walk(const_cast<T&>(after), [&](std::uint32_t number, const auto& value, std::size_t offset) {
      using Field = std::remove_cvref_t<decltype(value)>;
      if (value == at<Field>(before, offset)) return;
      if (value == at<Field>(defaults(), offset)) return delta.cleared_.push_back(number);
      if (!delta.set_) delta.set_.emplace();
      const_cast<Field&>(at<Field>(delta.set_.edit(), offset)) = value;
    });
    return delta;
  }

  bool empty() const { return !set_ && cleared_.empty(); }

  void apply_to(T& value) const {
    if (empty()) return;
    const T& wanted = set_ ? *set_ : defaults();
    walk(value, [&](std::uint32_t number, auto& field, std::size_t offset) {
      using Field = std::remove_cvref_t<decltype(field)>;
      const bool is_set = !(at<Field>(wanted, offset) == at<Field>(defaults(), offset));
      if (is_set || std::ranges::find(cleared_, number) != cleared_.end())
        field = at<Field>(wanted, offset);
    });
  }

  bool operator==(const Delta&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, set_);
    v(2, cleared_);
  }

 private:
  static const T& defaults() {
    static const T value{};
    return value;
  }
  // Calls visit(number, field, where the field is in the object).
  template <class Visit>
  static void walk(T& object, Visit visit) {
    auto each = [&](std::uint32_t number, auto& field) {
      visit(number, field,
            static_cast<std::size_t>(reinterpret_cast<const char*>(&field) -
                                     reinterpret_cast<const char*>(&object)));
    };
    object.fields(each);
  }
  // The same field of another object.
  template <class Field>
  static const Field& at(const T& object, std::size_t offset) {
    return *reinterpret_cast<const Field*>(reinterpret_cast<const char*>(&object) + offset);
  }

  Cow<T> set_;                          // each field that is not its default is what it becomes
  std::vector<std::uint32_t> cleared_;  // the numbers of those that become their defaults
};

}  // namespace muster
