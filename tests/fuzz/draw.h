// Draw: values made from the fuzzer's bytes. It visits fields() as the codec does and sets some of
// them: small numbers and the ends of number ranges, words of the unit tests and combinations of
// words, short lists. Mutated bytes of a message usually give a malformed message; mutated draws
// always give a valid message with other values.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/codec/codec.h"
#include "fuzz/target.h"

namespace muster::fuzz {

class Draw {
 public:
  explicit Draw(std::string_view bytes) : rest_(bytes) {}

  bool empty() const { return rest_.empty(); }
  std::uint8_t byte() {
    if (rest_.empty()) return 0;
    auto taken = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return taken;
  }
  std::uint32_t below(std::uint32_t end) {  // end > 0
    std::uint32_t value = byte();
    if (end > 256) value = value << 8 | byte();
    return value % end;
  }
  std::uint64_t number();
  std::string text();
  std::string key();  // of scontrol update

  // A field; most are left as they are.
  template <class T>
  void operator()(std::uint32_t, T& value) {
    if (rest_.empty() || skip_-- > 0) return;
    std::uint32_t far = byte();
    skip_ = static_cast<int>(far < 192 ? far % 3 : far % 64);
    fill(value);
  }

  template <class T>
  void fill(T& value) {
    using namespace codec_detail;
    if constexpr (std::is_same_v<T, double>) {
      value = real();
    } else if constexpr (std::is_same_v<T, StringBlock>) {
      for (std::uint32_t n = count(); n > 0; --n) value.push_back(text());
    } else if constexpr (String<T>) {
      value = text();
    } else if constexpr (is<T, std::variant>) {
      fill_alternative(value, below(std::variant_size_v<T>));
    } else if constexpr (is<T, std::pair>) {
      fill_pair(value);
    } else if constexpr (is_list<T>) {
      for (std::uint32_t n = count(); n > 0; --n) fill(value.emplace_back());
    } else if constexpr (is<T, std::set>) {
      for (std::uint32_t n = count(); n > 0; --n) {
        typename T::value_type item{};
        fill(item);
        value.insert(std::move(item));
      }
    } else if constexpr (is<T, std::map>) {
      for (std::uint32_t n = count(); n > 0; --n) {
        typename T::key_type name{};
        fill(name);
        fill(value[std::move(name)]);
      }
    } else if constexpr (is<T, std::optional>) {
      fill(value ? *value : value.emplace());
    } else if constexpr (is<T, Cow>) {
      fill(value ? value.edit() : value.emplace());
    } else if constexpr (is<T, Sparse>) {
      fill(value.edit());
    } else if constexpr (Struct<T>) {
      fill_struct(value);
    } else {
      fill_scalar(value);
    }
  }

  // A message as it would arrive; nothing if the codec would refuse it.
  template <class T>
  std::optional<T> message(T start = {}) {
    fill(start);
    auto received = decode<T>(encode(start), Origin::foreign);
    if (!received) return std::nullopt;
    return std::move(*received);
  }

 private:
  static constexpr int kDeepest = 6;

  std::uint32_t count() {  // the length of a list
    std::uint32_t n = byte();
    return n < 128 ? 1 : n < 250 ? n % 4 : 40;
  }
  double real();

  template <class V, std::size_t I = 0>
  void fill_alternative(V& value, std::size_t which) {
    if constexpr (I < std::variant_size_v<V>) {
      if (which == I)
        fill(value.index() == I ? std::get<I>(value) : value.template emplace<I>());
      else
        fill_alternative<V, I + 1>(value, which);
    }
  }
  template <class A, class B>
  void fill_pair(std::pair<A, B>& value) {
    if constexpr (codec_detail::String<A> && codec_detail::String<B>)
      value.first = key();
    else
      fill(value.first);
    fill(value.second);
  }
  template <class T>
  void fill_struct(T& value) {
    if (depth_ >= kDeepest) return;
    ++depth_;
    int outer = std::exchange(skip_, static_cast<int>(below(4)));
    value.fields(*this);
    skip_ = outer;
    --depth_;
  }
  template <class T>
  void fill_scalar(T& value) {
    using namespace codec_detail;
    std::uint64_t v = number();
    if constexpr (StrongId<T>)
      value = T{static_cast<typename T::rep>(v)};
    else if constexpr (TimePoint<T>)
      value = T{typename T::duration{static_cast<std::int64_t>(v)}};
    else if constexpr (is<T, std::chrono::duration>)
      value = T{static_cast<std::int64_t>(v)};
    else if constexpr (std::is_same_v<T, bool>)
      value = v & 1;
    else
      value = static_cast<T>(v);
  }

  std::string_view rest_;
  int skip_ = 0;  // how many fields to skip
  int depth_ = 0;
};

}  // namespace muster::fuzz
