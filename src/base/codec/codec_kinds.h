// codec_kinds: the kinds of struct members that the codec tells apart (see codec.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/containers/cow.h"
#include "base/containers/short_list.h"
#include "base/containers/sparse.h"
#include "base/containers/text.h"
#include "base/text/string_block.h"

namespace muster {

class Encoder;
class Decoder;

namespace codec_detail {

template <class T, template <class...> class Of>
inline constexpr bool is = false;
template <class... A, template <class...> class Of>
inline constexpr bool is<Of<A...>, Of> = true;

template <class T>
inline constexpr bool is_list = is<T, std::vector> || is<T, ShortList>;

template <class T>
concept Scalar = std::is_integral_v<T> || std::is_enum_v<T>;
template <class T>
concept StrongId = requires(T t) {
  typename T::rep;
  t.value;
} && sizeof(T) == sizeof(typename T::rep) && requires(T a) {
  T{a.value};
} && std::is_integral_v<typename T::rep> && !is<T, std::chrono::duration>;
template <class T>
concept Struct = requires(T t, Encoder& e) { t.fields(e); };
template <class T>
concept String = std::is_same_v<T, std::string> || std::is_same_v<T, std::string_view> ||
                 std::is_same_v<T, Text> ||
                 requires { requires T::kIsText; };  // a value that is written as its text
template <class T>
concept TimePoint = requires { typename T::clock; };

constexpr std::uint64_t zigzag(std::int64_t v) {
  return (static_cast<std::uint64_t>(v) << 1) ^ static_cast<std::uint64_t>(v >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t v) {
  return static_cast<std::int64_t>(v >> 1) ^ -static_cast<std::int64_t>(v & 1);
}

}  // namespace codec_detail

}  // namespace muster
