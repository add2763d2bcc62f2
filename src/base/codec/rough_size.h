// rough_size: about how many bytes a struct takes when it is encoded. Texts and lists are counted;
// a number counts as a few bytes. Good enough to cut a long list into messages, and much faster
// than encoding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <variant>

#include "base/codec/codec_kinds.h"

namespace muster {

template <class T>
std::size_t rough_size(const T& value);

namespace codec_detail {

class Sizer {
 public:
  template <class T>
  void operator()(std::uint32_t, T& value) {
    bytes_ += rough_size(value);
  }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_ = 0;
};

}  // namespace codec_detail

template <class T>
std::size_t rough_size(const T& value) {
  using namespace codec_detail;
  constexpr std::size_t kField = 4;  // a field's number and length, or a small value
  if constexpr (String<T>) {
    const std::string_view text(value);
    return text.empty() ? 0 : text.size() + kField;
  } else if constexpr (std::is_same_v<T, StringBlock>) {
    return value.bytes().size() + kField;
  } else if constexpr (is_list<T> || is<T, std::set>) {
    std::size_t sum = 0;
    for (const auto& item : value) sum += kField + rough_size(item);
    return sum;
  } else if constexpr (is<T, std::map>) {
    std::size_t sum = 0;
    for (const auto& [key, item] : value) sum += kField + rough_size(key) + rough_size(item);
    return sum;
  } else if constexpr (is<T, std::pair>) {
    return rough_size(value.first) + rough_size(value.second);
  } else if constexpr (is<T, std::optional> || is<T, Cow>) {
    return value ? kField + rough_size(*value) : 0;
  } else if constexpr (is<T, Sparse>) {
    return value.is_default() ? 0 : kField + rough_size(*value);
  } else if constexpr (is<T, std::variant>) {
    return kField + std::visit([](const auto& v) { return rough_size(v); }, value);
  } else if constexpr (Struct<T>) {
    Sizer sizer;
    const_cast<T&>(value).fields(sizer);  // the sizer only reads
    return sizer.bytes();
  } else {
    return kField;
  }
}

}  // namespace muster
