// Decoder: reads structs from bytes (see codec.h).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/codec/codec_kinds.h"

namespace muster {

// Keeps short texts of this and earlier messages, so that texts that repeat share their memory,
// such as user names and paths in a long list of jobs.
class TextInterner {
 public:
  Text get(std::string_view text) {
    if (text.empty() || text.size() > kLongest) return text;
    auto byte = [&](std::size_t at) { return std::size_t{static_cast<unsigned char>(text[at])}; };
    std::size_t slot =
        text.size() + 3 * byte(0) + 5 * byte(text.size() / 2) + 7 * byte(text.size() - 1);
    Text& recent = slots_[slot % slots_.size()];
    if (recent != text) recent = Text(text);
    return recent;
  }

 private:
  static constexpr std::size_t kLongest = 256;  // longer texts would hold memory for too long
  std::array<Text, 128> slots_;
};

// Who wrote the bytes: this program or one like it, or anyone on the network. Foreign fields must
// come in the order in which we write them, and the memory for them is bounded: in a list of empty
// messages each two bytes sent would otherwise become hundreds in memory.
enum class Origin : std::uint8_t { own, foreign };

// State shared by all messages nested in one message.
struct DecodeState {
  DecodeState(TextInterner& recent, Origin origin, std::size_t message_bytes)
      : texts(recent), is_foreign(origin == Origin::foreign) {
    if (is_foreign) memory_left = kLeastMemory + kMemoryPerByte * message_bytes;
  }

  static constexpr std::uint64_t kLeastMemory = 1 << 20, kMemoryPerByte = 16;
  TextInterner& texts;
  bool is_foreign;
  std::uint64_t memory_left = ~std::uint64_t{0};  // for elements of lists
};

// Reads one message in place, without allocations of its own. The whole message is checked first;
// then fields() asks for its fields by number. We write fields in ascending order, so one pass is
// enough.
class Decoder {
 public:
  static constexpr int kMaxDepth = 32;

  Decoder(std::string_view in, DecodeState& state, int depth = 0)
      : in_(in), state_(state), depth_(depth) {
    ok_ = depth <= kMaxDepth && check() && (ascending_ || !state.is_foreign);
    if (ok_) rewind();
  }

  // Reads a struct's fields, and checks is_valid() if it has that.
  template <class T>
  void read_struct(T& value) {
    if (ok_) value.fields(*this);
    if constexpr (requires { value.is_valid(); })
      if (ok_ && !value.is_valid()) reject();
  }

  bool ok() const { return ok_; }

  template <class T>
  void operator()(std::uint32_t number, T& value) {
    using namespace codec_detail;
    if (!ok_) return;
    bool found = find(number);
    if constexpr (is<T, std::vector>)
      if (found && value.empty()) reserve(value);
    for (; found; found = find_next(number)) {
      const Field& f = current_;
      if constexpr (is_list<T>) {
        if (!takes(sizeof(typename T::value_type))) return reject();
        read(f, value.emplace_back());
      } else if constexpr (std::is_same_v<T, StringBlock>) {
        if (f.type != 2 || !takes(sizeof(std::uint32_t))) return reject();
        value.push_back(f.bytes);
      } else if constexpr (is<T, std::set>) {
        typename T::value_type item{};
        if (!takes(sizeof(item) + kTreeNode)) return reject();
        read(f, item);
        value.insert(std::move(item));
      } else if constexpr (is<T, std::map>) {
        typename T::key_type key{};
        typename T::mapped_type item{};
        if (f.type != 2 || !takes(sizeof(key) + sizeof(item) + kTreeNode)) return reject();
        Decoder inner(f.bytes, state_, depth_ + 1);
        if (inner.ok_ && inner.find(1)) inner.read(inner.current_, key);
        if (inner.ok_ && inner.find(2)) inner.read(inner.current_, item);
        if (!inner.ok_) return reject();
        value.insert_or_assign(std::move(key), std::move(item));
      } else if constexpr (is<T, std::optional>) {
        read(f, value.emplace());
      } else {
        read(f, value);
      }
      if (!ok_) return;
    }
  }

 private:
  struct Field {
    std::uint32_t number = 0;
    std::uint32_t type = 0;
    std::uint64_t value = 0;
    std::string_view bytes;
  };
  static constexpr std::uint32_t kMaxNumber = (1u << 29) - 1;
  static constexpr std::uint32_t kEnd = kMaxNumber + 1;  // stands for the end of the fields
  static constexpr std::uint64_t kTreeNode = 48;         // overhead of an element in a map or a set

  bool takes(std::uint64_t bytes) {
    if (bytes > state_.memory_left) return false;
    state_.memory_left -= bytes;
    return true;
  }

  // If a message has many fields and this list, most of the fields are items of the list.
  template <class Item>
  void reserve(std::vector<Item>& list) const {
    constexpr std::size_t kLong = 32, kMost = 4096;
    if (count_ >= kLong)
      list.reserve(
          std::min({count_, kMost, static_cast<std::size_t>(state_.memory_left / sizeof(Item))}));
  }

  // Variant alternatives are numbered from 1. An alternative unknown to this build is an error.
  template <class V, std::size_t I = 0>
  void read_alternative(const Field& f, V& value) {
    if constexpr (I == std::variant_size_v<V>) {
      reject();
    } else if (f.number == I + 1) {
      read(f, value.template emplace<I>());
    } else {
      read_alternative<V, I + 1>(f, value);
    }
  }

  template <class T>
  void read(const Field& f, T& value) {
    using namespace codec_detail;
    if constexpr (std::is_same_v<T, double>) {
      if (f.type != 1) return reject();
      value = std::bit_cast<double>(f.value);
    } else if constexpr (String<T>) {
      if (f.type != 2) return reject();
      if constexpr (std::is_same_v<T, Text>)
        value = state_.texts.get(f.bytes);
      else
        value = f.bytes;
    } else if constexpr (is<T, std::variant>) {
      read_nested(f, [&](Decoder& inner) {
        if (inner.count_ != 1) return inner.reject();
        inner.read_alternative(inner.current_, value);
      });
    } else if constexpr (is<T, std::pair>) {
      read_nested(f, [&](Decoder& inner) {
        inner(1, value.first);
        inner(2, value.second);
      });
    } else if constexpr (is_list<T> || is<T, std::set> || is<T, std::map>) {
      read_nested(f, [&](Decoder& inner) { inner(1, value); });
    } else if constexpr (Struct<T>) {
      read_nested(f, [&](Decoder& inner) { inner.read_struct(value); });
    } else if constexpr (is<T, Cow>) {
      if (!takes(sizeof(*value))) return reject();
      read(f, value.emplace());
    } else if constexpr (is<T, Sparse>) {
      if (!takes(sizeof(*value))) return reject();
      read(f, value.edit());
    } else {
      if (f.type != 0 || !from_varint(f.value, value)) return reject();
    }
  }

  template <class Read>
  void read_nested(const Field& f, Read&& read_it) {
    if (f.type != 2) return reject();
    Decoder inner(f.bytes, state_, depth_ + 1);
    if (inner.ok_) read_it(inner);
    if (!inner.ok_) reject();
  }

  // False if the member cannot hold the value. An enum's last_of() gives its last valid value.
  template <class T>
  static bool from_varint(std::uint64_t v, T& value) {
    using namespace codec_detail;
    if constexpr (StrongId<T>) {
      value = T{static_cast<typename T::rep>(v)};
      return std::in_range<typename T::rep>(v);
    } else if constexpr (TimePoint<T>) {
      value = T{typename T::duration{unzigzag(v)}};
    } else if constexpr (is<T, std::chrono::duration>) {
      value = T{unzigzag(v)};
    } else if constexpr (std::is_same_v<T, bool>) {
      value = v != 0;
    } else if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(v);
      if constexpr (requires { last_of(value); })
        return v <= static_cast<std::uint64_t>(last_of(value));
    } else if constexpr (std::is_signed_v<T>) {
      value = static_cast<T>(unzigzag(v));
      return std::in_range<T>(unzigzag(v));
    } else {
      value = static_cast<T>(v);
      return std::in_range<T>(v);
    }
    return true;
  }

  // Moves to the first field with this number. False if there is none.
  bool find(std::uint32_t number) {
    if (!ascending_ || number <= asked_) rewind();
    asked_ = number;
    while (current_.number < number) advance();
    if (!ascending_) skip_others(number);
    return current_.number == number;
  }
  bool find_next(std::uint32_t number) {
    advance();
    if (!ascending_) skip_others(number);
    return current_.number == number;
  }
  void skip_others(std::uint32_t number) {
    while (current_.number != number && current_.number != kEnd) advance();
  }
  void rewind() {
    rest_ = in_;
    asked_ = 0;
    advance();
  }
  bool check();    // false if the message is malformed
  void advance();  // requires check()
  static bool take(std::string_view& in, Field& field);
  void reject() { ok_ = false; }

  std::string_view in_, rest_;
  DecodeState& state_;
  Field current_;            // the field before rest_
  std::uint32_t asked_ = 0;  // the number passed to find() last
  std::size_t count_ = 0;
  bool ascending_ = true;  // the fields are in order of their numbers
  int depth_;
  bool ok_;
};

}  // namespace muster
