// Encoder: writes structs as bytes (see codec.h).
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/codec/codec_kinds.h"

namespace muster {

class Encoder {
 public:
  explicit Encoder(std::string& out) : out_(out) {}

  // Writes a struct's fields. Members equal to their own defaults, which need not be zero, are left
  // out: decoding starts from these.
  template <class T>
  void write(T& value) {
    static const T defaults{};
    object_ = reinterpret_cast<const char*>(&value);
    defaults_ = reinterpret_cast<const char*>(&defaults);
    object_size_ = sizeof(T);
    value.fields(*this);
  }

  template <class T>
  void operator()(std::uint32_t number, T& value) {
    using namespace codec_detail;
    if constexpr (is_list<T> || is<T, std::set>) {
      for (auto& item : value)
        write_value(number, const_cast<std::remove_cvref_t<decltype(item)>&>(item));
    } else if constexpr (std::is_same_v<T, StringBlock>) {
      for (std::string_view string : value) bytes(number, string);
    } else if constexpr (is<T, std::map>) {
      for (auto& [key, item] : value)
        nested(number, [&](Encoder& inner) {
          inner.write_value(1, const_cast<std::remove_cvref_t<decltype(key)>&>(key));
          inner.write_value(2, item);
        });
    } else if constexpr (is<T, std::optional>) {
      if (value) write_value(number, *value);
    } else if constexpr (is<T, Cow>) {
      if (value) write_value(number, const_cast<std::remove_cvref_t<decltype(*value)>&>(*value));
    } else if constexpr (is<T, Sparse>) {
      if (!value.is_default())
        (*this)(number, const_cast<std::remove_cvref_t<decltype(*value)>&>(*value));
    } else if constexpr (is<T, std::variant>) {
      write_value(number, value);
    } else if constexpr (Struct<T> && std::is_trivially_copyable_v<T>) {
      static const T defaults{};  // nothing is written for it
      if (!(value == defaults)) nested(number, [&](Encoder& inner) { inner.write(value); });
    } else if constexpr (Struct<T>) {
      std::size_t before = out_.size();
      if (nested(number, [&](Encoder& inner) { inner.write(value); }) == 0) out_.resize(before);
    } else {
      if (!(value == default_of(value))) write_value(number, value);
    }
  }

  // Writes one value, even if it is the default.
  template <class T>
  void write_value(std::uint32_t number, T& value) {
    using namespace codec_detail;
    if constexpr (std::is_same_v<T, double>) {
      tag(number, 1);
      auto bits = std::bit_cast<std::uint64_t>(value);
      for (int i = 0; i < 8; ++i) out_.push_back(static_cast<char>(bits >> (8 * i)));
    } else if constexpr (String<T>) {
      bytes(number, std::string_view(value));
    } else if constexpr (is<T, std::variant>) {
      nested(number, [&](Encoder& inner) {
        std::visit(
            [&](auto& v) { inner.write_value(static_cast<std::uint32_t>(value.index()) + 1, v); },
            value);
      });
    } else if constexpr (is<T, std::pair>) {
      nested(number, [&](Encoder& inner) {
        inner(1, value.first);
        inner(2, value.second);
      });
    } else if constexpr (is_list<T> || is<T, std::set> || is<T, std::map>) {
      nested(number, [&](Encoder& inner) { inner(1, value); });
    } else if constexpr (Struct<T>) {
      nested(number, [&](Encoder& inner) { inner.write(value); });
    } else if constexpr (is<T, Cow>) {
      write_value(number, const_cast<std::remove_cvref_t<decltype(*value)>&>(*value));
    } else {
      tagged(number, 0, to_varint(value));
    }
  }

  void bytes(std::uint32_t number, std::string_view s) {
    if (s.size() >= kLongText) widen_lengths();
    tagged(number, 2, s.size());
    out_.append(s);
  }

 private:
  static constexpr std::size_t kLongText = 4096;
  static constexpr std::size_t kWideLength = 5;  // bytes, enough for any size below 32 GiB

  // Writes a nested message in place. Its length is put in front when it is known.
  template <class Write>
  std::size_t nested(std::uint32_t number, Write&& write) {
    tag(number, 2);
    Encoder inner(out_);
    inner.around_ = this;
    inner.length_at_ = out_.size();
    out_.push_back(0);
    write(inner);
    std::size_t size = out_.size() - inner.length_at_ - inner.length_width_;
    if (inner.length_width_ == kWideLength)
      inner.write_wide_length(size);
    else if (size < 0x80)
      out_[inner.length_at_] = static_cast<char>(size);
    else
      inner.insert_length(size);
    return size;
  }
  // Putting lengths in front later would move a long text once for each message around it. So their
  // lengths are widened before the text is written.
  std::size_t widen_lengths();  // returns by how much this message's contents moved
  void write_wide_length(std::size_t size);
  void insert_length(std::size_t size);

  template <class T>
  static std::uint64_t to_varint(const T& value) {
    using namespace codec_detail;
    if constexpr (StrongId<T>)
      return value.value;
    else if constexpr (TimePoint<T>)
      return zigzag(value.time_since_epoch().count());
    else if constexpr (is<T, std::chrono::duration>)
      return zigzag(value.count());
    else if constexpr (std::is_enum_v<T>)
      return static_cast<std::uint64_t>(value);
    else if constexpr (std::is_signed_v<T>)
      return zigzag(value);
    else
      return value;
  }
  // The same member of a default-constructed struct.
  template <class T>
  const T& default_of(const T& member) const {
    static const T otherwise{};
    auto offset = static_cast<std::size_t>(reinterpret_cast<const char*>(&member) - object_);
    if (!object_ || offset >= object_size_) return otherwise;
    return *reinterpret_cast<const T*>(defaults_ + offset);
  }
  static constexpr std::size_t kMaxVarint = 10;
  static std::size_t put_varint(char* at, std::uint64_t v) {
    std::size_t size = 0;
    for (; v >= 0x80; v >>= 7) at[size++] = static_cast<char>(v | 0x80);
    at[size++] = static_cast<char>(v);
    return size;
  }
  static std::uint64_t key(std::uint32_t number, std::uint32_t type) {
    return std::uint64_t{number} << 3 | type;
  }
  void tag(std::uint32_t number, std::uint32_t type) { varint(key(number, type)); }
  void varint(std::uint64_t v) {
    char bytes[kMaxVarint];
    out_.append(bytes, put_varint(bytes, v));
  }
  // Writes a tag and a number: the value itself, or the length of what follows.
  void tagged(std::uint32_t number, std::uint32_t type, std::uint64_t v) {
    char bytes[2 * kMaxVarint];
    std::size_t size = put_varint(bytes, key(number, type));
    size += put_varint(bytes + size, v);
    out_.append(bytes, size);
  }

  std::string& out_;
  const char* object_ = nullptr;
  const char* defaults_ = nullptr;
  std::size_t object_size_ = 0;
  Encoder* around_ = nullptr;  // the message around this one, if it is nested
  std::size_t length_at_ = 0, length_width_ = 1;
};

}  // namespace muster
