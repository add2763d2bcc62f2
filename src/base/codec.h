// Bytes from structs and back, by one list of fields per struct:
//
//   struct Point {
//     int x = 0, y = 0;
//     template <class V> void fields(V& v) { v(1, x); v(2, y); }
//   };
//   std::string bytes = encode(Point{1, 2});
//   Result<Point> point = decode<Point>(bytes);
//
// The bytes are protobuf's wire format (varints, zigzag for signed, length-delimited for the rest),
// so fields may be added at any time and unknown ones are skipped; a field number is never used
// again for something else. A field equal to its member's default is left out, so a default is part
// of the format too: it never changes once released. Journal, snapshot and network share this.
// Decoding hostile bytes is safe: every length is checked against what is left, nesting is bounded.
#pragma once

#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/cow.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/short_list.h"
#include "base/text.h"

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
concept String = std::is_same_v<T, std::string> || std::is_same_v<T, Text>;
template <class T>
concept TimePoint = requires { typename T::clock; };

constexpr std::uint64_t zigzag(std::int64_t v) {
  return (static_cast<std::uint64_t>(v) << 1) ^ static_cast<std::uint64_t>(v >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t v) {
  return static_cast<std::int64_t>(v >> 1) ^ -static_cast<std::int64_t>(v & 1);
}

}  // namespace codec_detail

class Encoder {
 public:
  explicit Encoder(std::string& out) : out_(out) {}

  // A struct's fields. What is left out is what decoding starts from: the member's own default,
  // which need not be zero.
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
      for (auto& item : value) one(number, const_cast<std::remove_cvref_t<decltype(item)>&>(item));
    } else if constexpr (is<T, std::map>) {
      for (auto& [key, item] : value)
        nested(number, [&](Encoder& inner) {
          inner.one(1, const_cast<std::remove_cvref_t<decltype(key)>&>(key));
          inner.one(2, item);
        });
    } else if constexpr (is<T, std::optional>) {
      if (value) one(number, *value);
    } else if constexpr (is<T, Cow>) {
      if (value) one(number, const_cast<std::remove_cvref_t<decltype(*value)>&>(*value));
    } else if constexpr (is<T, std::variant>) {
      one(number, value);
    } else if constexpr (Struct<T>) {
      std::size_t before = out_.size();
      if (nested(number, [&](Encoder& inner) { inner.write(value); }) == 0) out_.resize(before);
    } else {
      if (!(value == default_of(value))) one(number, value);
    }
  }

  // One value, written even if it is the default.
  template <class T>
  void one(std::uint32_t number, T& value) {
    using namespace codec_detail;
    if constexpr (std::is_same_v<T, double>) {
      tag(number, 1);
      auto bits = std::bit_cast<std::uint64_t>(value);
      for (int i = 0; i < 8; ++i) out_.push_back(static_cast<char>(bits >> (8 * i)));
    } else if constexpr (String<T>) {
      bytes(number, value);
    } else if constexpr (is<T, std::variant>) {
      nested(number, [&](Encoder& inner) {
        std::visit([&](auto& v) { inner.one(static_cast<std::uint32_t>(value.index()) + 1, v); },
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
      one(number, const_cast<std::remove_cvref_t<decltype(*value)>&>(*value));
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
  static constexpr std::size_t kWideLength = 5;  // bytes: any size below 32 GiB

  // A message within the message, written in place: its length goes in front once it is known.
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
  // A long text would be moved once for each message around it, when their lengths are put in
  // front: so these get their room before it is written.
  std::size_t widen_lengths();  // by how much that moved what this message holds so far
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
  // A tag and the number behind it: the value itself, or the length of what follows.
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
  Encoder* around_ = nullptr;  // the message that this one is part of, where it is nested
  std::size_t length_at_ = 0, length_width_ = 1;
};

// The texts of one message: those that repeat, as user names and paths of a long list do, share
// their memory.
class RecentTexts {
 public:
  Text get(std::string_view text) {
    if (text.empty()) return {};
    auto byte = [&](std::size_t at) { return std::size_t{static_cast<unsigned char>(text[at])}; };
    std::size_t slot =
        text.size() + 3 * byte(0) + 5 * byte(text.size() / 2) + 7 * byte(text.size() - 1);
    Text& recent = slots_[slot % slots_.size()];
    if (recent != text) recent = Text(text);
    return recent;
  }

 private:
  std::array<Text, 64> slots_;
};

// Reads one message in place, nothing is allocated for it: the whole of it is checked first, then
// fields() asks for its fields by number. Ours come in ascending order, so each is met once.
class Decoder {
 public:
  static constexpr int kMaxDepth = 32;

  Decoder(std::string_view in, RecentTexts& texts, int depth = 0)
      : in_(in), texts_(texts), depth_(depth) {
    ok_ = depth <= kMaxDepth && check();
    if (ok_) rewind();
  }

  bool ok() const { return ok_; }

  template <class T>
  void operator()(std::uint32_t number, T& value) {
    using namespace codec_detail;
    if (!ok_) return;
    for (bool found = find(number); found; found = find_next(number)) {
      const Field& f = current_;
      if constexpr (is_list<T>) {
        read(f, value.emplace_back());
      } else if constexpr (is<T, std::set>) {
        typename T::value_type item{};
        read(f, item);
        value.insert(std::move(item));
      } else if constexpr (is<T, std::map>) {
        typename T::key_type key{};
        typename T::mapped_type item{};
        if (f.type != 2) return reject();
        Decoder inner(f.bytes, texts_, depth_ + 1);
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
  static constexpr std::uint32_t kEnd = kMaxNumber + 1;  // number of what follows the last field

  // Variant alternatives are numbered from 1; one that this build does not know is an error.
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
        value = texts_.get(f.bytes);
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
      read_nested(f, [&](Decoder& inner) { value.fields(inner); });
    } else if constexpr (is<T, Cow>) {
      read(f, value.emplace());
    } else {
      if (f.type != 0) return reject();
      from_varint(f.value, value);
    }
  }

  template <class Read>
  void read_nested(const Field& f, Read&& read_it) {
    if (f.type != 2) return reject();
    Decoder inner(f.bytes, texts_, depth_ + 1);
    if (inner.ok_) read_it(inner);
    if (!inner.ok_) reject();
  }

  template <class T>
  static void from_varint(std::uint64_t v, T& value) {
    using namespace codec_detail;
    if constexpr (StrongId<T>)
      value = T{static_cast<typename T::rep>(v)};
    else if constexpr (TimePoint<T>)
      value = T{typename T::duration{unzigzag(v)}};
    else if constexpr (is<T, std::chrono::duration>)
      value = T{unzigzag(v)};
    else if constexpr (std::is_same_v<T, bool>)
      value = v != 0;
    else if constexpr (std::is_enum_v<T>)
      value = static_cast<T>(v);
    else if constexpr (std::is_signed_v<T>)
      value = static_cast<T>(unzigzag(v));
    else
      value = static_cast<T>(v);
  }

  // Moves to the first field of that number.
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
  bool check();    // that all of it can be read
  void advance();  // requires check()
  static bool take(std::string_view& in, Field& field);
  void reject() { ok_ = false; }

  std::string_view in_, rest_;
  RecentTexts& texts_;
  Field current_;            // the field before rest_
  std::uint32_t asked_ = 0;  // the number that was looked for last
  std::size_t count_ = 0;
  bool ascending_ = true;  // the fields are in the order of their numbers
  int depth_;
  bool ok_;
};

template <class T>
std::string encode(const T& value) {
  // Grows for the first messages only; what is given away has just the size that it needs.
  thread_local std::string scratch;
  constexpr std::size_t kKeptBytes = 64 << 10;
  scratch.clear();
  Encoder e(scratch);
  e.write(const_cast<T&>(value));  // the encoder only reads
  return scratch.capacity() > kKeptBytes ? std::exchange(scratch, {}) : scratch;
}

template <class T>
Result<T> decode(std::string_view bytes) {
  T value{};
  RecentTexts texts;
  Decoder d(bytes, texts);
  if (d.ok()) value.fields(d);
  if (!d.ok()) return fail("malformed message");
  return value;
}

}  // namespace muster

// A message whose codec many files call says MUSTER_DECLARE_CODEC below its struct and MUSTER_CODEC
// in one .cc: the code for its tree of fields is then compiled there alone.
#define MUSTER_DECLARE_CODEC(T)                            \
  extern template std::string muster::encode<T>(const T&); \
  extern template muster::Result<T> muster::decode<T>(std::string_view);
#define MUSTER_CODEC(T)                             \
  template std::string muster::encode<T>(const T&); \
  template muster::Result<T> muster::decode<T>(std::string_view);
