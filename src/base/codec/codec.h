// codec: turns structs into bytes and back. Each struct lists its fields once:
//
//   struct Point {
//     int x = 0, y = 0;
//     template <class V> void fields(V& v) { v(1, x); v(2, y); }
//   };
//   std::string bytes = encode(Point{1, 2});
//   Result<Point> point = decode<Point>(bytes);
//
// The bytes are protobuf's wire format (varints, zigzag for signed, length-delimited for the rest),
// so fields may be added at any time and unknown ones are skipped. A field number is never reused.
// A field equal to its member's default is left out, so the default is part of the format: once
// released, it never changes. Journal, snapshot and network share this format.
// Decoding hostile bytes is safe: every length is checked against what is left, nesting is bounded,
// and so is the memory that foreign bytes can take. If a struct has is_valid(), it is called after
// decoding.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/codec/decoder.h"
#include "base/codec/encoder.h"
#include "base/ids.h"
#include "base/result.h"

namespace muster {

template <class T>
std::string encode(const T& value) {
  // The buffer only grows for the first messages. A short message is copied from it, with exactly
  // the size it needs. A long one takes the buffer itself.
  thread_local std::string scratch;
  constexpr std::size_t kShort = 8 << 10;
  scratch.clear();
  Encoder e(scratch);
  e.write(const_cast<T&>(value));  // the encoder only reads
  return scratch.size() > kShort ? std::exchange(scratch, {}) : scratch;
}

inline TextInterner& text_interner() {
  thread_local TextInterner texts;
  return texts;
}

// Bytes from the network are foreign: see Origin.
template <class T>
Result<void> decode_into(std::string_view bytes, T& value, Origin origin = Origin::own) {
  DecodeState state(text_interner(), origin, bytes.size());
  Decoder d(bytes, state);
  d.read_struct(value);
  if (!d.ok()) return fail("malformed message");
  return {};
}

template <class T>
Result<T> decode(std::string_view bytes, Origin origin = Origin::own) {
  Result<T> value{};
  if (auto done = decode_into(bytes, *value, origin); !done) return std::unexpected(done.error());
  return value;
}

}  // namespace muster

// For a message that many files encode or decode: put MUSTER_DECLARE_CODEC below its struct and
// MUSTER_CODEC into one .cc, so that its codec is compiled only there.
#define MUSTER_DECLARE_CODEC(T)                            \
  extern template std::string muster::encode<T>(const T&); \
  extern template muster::Result<T> muster::decode<T>(std::string_view, muster::Origin);
#define MUSTER_CODEC(T)                             \
  template std::string muster::encode<T>(const T&); \
  template muster::Result<T> muster::decode<T>(std::string_view, muster::Origin);
