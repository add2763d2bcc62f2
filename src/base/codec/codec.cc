// Varints and lengths of the wire format, read and written.
#include "base/codec/codec.h"

namespace muster {

namespace {

bool take_varint(std::string_view& in, std::uint64_t& value) {
  value = 0;
  std::size_t at = 0;
  for (int shift = 0; shift < 64 && at < in.size(); shift += 7) {
    auto byte = static_cast<unsigned char>(in[at++]);
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte & 0x80) continue;
    in.remove_prefix(at);
    return true;
  }
  return false;
}

}  // namespace

std::size_t Encoder::widen_lengths() {
  if (!around_) return 0;
  std::size_t moved = around_->widen_lengths();
  length_at_ += moved;
  if (length_width_ == kWideLength) return moved;
  out_.insert(length_at_, kWideLength - length_width_, '\0');
  moved += kWideLength - length_width_;
  length_width_ = kWideLength;
  return moved;
}

// Writes the length as a varint of fixed width; the format allows varints that are longer than
// necessary.
void Encoder::write_wide_length(std::size_t size) {
  for (std::size_t i = 0; i < kWideLength; ++i) {
    const bool last = i + 1 == kWideLength;
    out_[length_at_ + i] = static_cast<char>((size & 0x7f) | (last ? 0 : 0x80));
    size >>= 7;
  }
}

void Encoder::insert_length(std::size_t size) {
  std::string length;
  Encoder(length).varint(size);
  out_.replace(length_at_, 1, length);
}

bool Decoder::take(std::string_view& in, Field& field) {
  std::uint64_t key = 0;
  if (!take_varint(in, key)) return false;
  std::uint64_t number = key >> 3;
  if (number == 0 || number > kMaxNumber) return false;
  field.number = static_cast<std::uint32_t>(number);
  field.type = static_cast<std::uint32_t>(key & 7);
  if (field.type == 0) return take_varint(in, field.value);
  if (field.type == 1) {
    if (in.size() < 8) return false;
    field.value = 0;
    for (int i = 0; i < 8; ++i)
      field.value |= std::uint64_t{static_cast<unsigned char>(in[static_cast<std::size_t>(i)])}
                     << (8 * i);
    in.remove_prefix(8);
    return true;
  }
  std::uint64_t size = 0;
  if (field.type != 2 || !take_varint(in, size) || size > in.size()) return false;
  field.bytes = in.substr(0, size);
  in.remove_prefix(size);
  return true;
}

bool Decoder::check() {
  Field field;
  std::uint32_t last = 0;
  for (std::string_view rest = in_; !rest.empty(); ++count_) {
    if (!take(rest, field)) return false;
    ascending_ = ascending_ && last <= field.number;
    last = field.number;
  }
  return true;
}

void Decoder::advance() {
  if (rest_.empty())
    current_.number = kEnd;
  else
    take(rest_, current_);
}

}  // namespace muster
