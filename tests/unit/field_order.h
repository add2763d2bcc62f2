// Walks all structs that the codec can write, starting from one, and names each struct whose
// fields() does not list its numbers in ascending order. Bytes from outside are refused unless
// their fields ascend, and only ascending fields are read quickly.
#pragma once

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <typeindex>
#include <vector>

#include "base/codec/codec.h"

namespace muster::test {

class FieldOrder {
 public:
  template <class T>
  static std::vector<std::string> wrong_in() {
    FieldOrder order;
    order.walk<T>();
    return order.wrong_;
  }
  template <class T>
  static std::size_t structs_in() {
    FieldOrder order;
    order.walk<T>();
    return order.seen_.size();
  }

  template <class T>
  void operator()(std::uint32_t number, T&) {
    if (number <= last_) ascends_ = false;
    last_ = number;
    walk<T>();
  }

 private:
  template <class T>
  void walk() {
    using namespace codec_detail;
    if constexpr (is_list<T> || is<T, std::set> || is<T, std::optional>)
      walk<typename T::value_type>();
    else if constexpr (is<T, Cow> || is<T, Sparse>)
      walk<std::remove_cvref_t<decltype(*std::declval<const T&>())>>();
    else if constexpr (is<T, std::map>)
      walk<typename T::mapped_type>();
    else if constexpr (is<T, std::pair>)
      walk<typename T::first_type>(), walk<typename T::second_type>();
    else if constexpr (is<T, std::variant>)
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        (walk<std::variant_alternative_t<I, T>>(), ...);
      }(std::make_index_sequence<std::variant_size_v<T>>{});
    else if constexpr (Struct<T>)
      walk_struct<T>();
  }
  template <class T>
  void walk_struct() {
    if (!seen_.insert(typeid(T)).second) return;
    FieldOrder inner;
    inner.seen_ = std::move(seen_);
    T object{};
    object.fields(inner);
    seen_ = std::move(inner.seen_);
    wrong_.insert(wrong_.end(), inner.wrong_.begin(), inner.wrong_.end());
    if (!inner.ascends_) wrong_.push_back(name_of(typeid(T)));
  }
  static std::string name_of(const std::type_info& type) {
    int status = 0;
    std::unique_ptr<char, decltype(&std::free)> name(
        abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
    return name ? name.get() : type.name();
  }

  std::set<std::type_index> seen_;
  std::vector<std::string> wrong_;
  std::uint32_t last_ = 0;
  bool ascends_ = true;
};

}  // namespace muster::test
