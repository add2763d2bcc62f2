// A Secret leaves nothing behind in memory.
#include "base/containers/secret.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "base/codec/codec.h"

namespace muster {
namespace {

// Short secrets are stored in the object itself, long ones elsewhere.
const std::string kShort = "0123456789", kLong(100, 'k');

struct Holder {
  Secret secret;
  template <class V>
  void fields(V& v) {
    v(1, secret);
  }
};

bool is_within(const std::string& text, const void* memory, std::size_t size) {
  return ::memmem(memory, size, text.data(), text.size()) != nullptr;
}

TEST(Secret, IsWipedWhereItWasWhenItMovesAndWhenItGoes) {
  alignas(Secret) unsigned char place[sizeof(Secret)];
  auto* secret = new (place) Secret(kShort);
  EXPECT_TRUE(is_within(kShort, place, sizeof place));
  Secret moved = std::move(*secret);
  EXPECT_FALSE(is_within(kShort, place, sizeof place));
  EXPECT_EQ(moved.view(), kShort);
  *secret = moved;
  EXPECT_TRUE(is_within(kShort, place, sizeof place));
  *secret = Secret("another");
  EXPECT_FALSE(is_within(kShort, place, sizeof place));
  *secret = moved;
  std::destroy_at(secret);
  EXPECT_FALSE(is_within(kShort, place, sizeof place));
}

TEST(Secret, WipesAllThatItsStringHasHeld) {
  std::string text = kLong;
  const char* bytes = text.data();
  text.resize(3);
  Secret::wipe(text);
  EXPECT_TRUE(text.empty());
  EXPECT_EQ(text.data(), bytes);  // still readable
  EXPECT_FALSE(is_within("kkk", bytes, kLong.size()));
}

TEST(Secret, IsATextToTheCodec) {
  for (const std::string& bytes : {std::string(), kShort, kLong}) {
    const Holder holder{bytes};
    EXPECT_EQ(encode(holder).empty(), bytes.empty());
    auto again = decode<Holder>(encode(holder));
    ASSERT_TRUE(again);
    EXPECT_EQ(again->secret, holder.secret);
  }
}

}  // namespace
}  // namespace muster
