// What differs between two structs, on its own and as bytes.
#include "base/codec/delta.h"

#include <gtest/gtest.h>

#include "base/codec/codec.h"

namespace muster {
namespace {

struct Person {
  Text name;
  std::uint32_t legs = 2;
  std::optional<std::uint32_t> age;
  std::vector<Text> words;
  bool operator==(const Person&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, name);
    v(2, legs);
    v(3, age);
    v(4, words);
  }
};

using PersonDelta = Delta<Person>;

const Person kAda{.name = "Ada", .legs = 2, .age = 36, .words = {"a", "b"}};

Person changed(const Person& before, const Person& after, const Person& subject) {
  const auto bytes = encode(PersonDelta::between(before, after));
  auto delta = decode<PersonDelta>(bytes);
  EXPECT_TRUE(delta);
  EXPECT_EQ(encode(*delta), bytes);
  Person result = subject;
  delta->apply_to(result);
  return result;
}

TEST(Delta, OfEqualValuesIsEmptyAndTakesNoBytes) {
  EXPECT_TRUE(PersonDelta::between(kAda, kAda).empty());
  EXPECT_EQ(encode(PersonDelta::between(kAda, kAda)), "");
  EXPECT_EQ(changed(kAda, kAda, kAda), kAda);
}

TEST(Delta, LeadsFromOneValueToTheOther) {
  const Person bob{.name = "Bob", .legs = 1, .age = {}, .words = {"c"}};
  EXPECT_EQ(changed(kAda, bob, kAda), bob);
  EXPECT_EQ(changed(bob, kAda, bob), kAda);
  EXPECT_EQ(changed(kAda, {}, kAda), Person{});
  EXPECT_EQ(changed({}, kAda, {}), kAda);
}

TEST(Delta, ChangesNothingButWhatDiffers) {
  Person older = kAda;
  older.age = 37;
  const Person bob{.name = "Bob", .legs = 1, .age = {}, .words = {}};
  const Person older_bob{.name = "Bob", .legs = 1, .age = 37, .words = {}};
  EXPECT_EQ(changed(kAda, older, bob), older_bob);
}

TEST(Delta, SetsAFieldBackToADefaultThatIsNotZero) {
  Person pirate = kAda;
  pirate.legs = 1;
  EXPECT_EQ(changed(pirate, kAda, pirate).legs, 2u);
  pirate.legs = 0;
  EXPECT_EQ(changed(kAda, pirate, kAda).legs, 0u);
}

TEST(Delta, TellsAnOptionalZeroFromNothing) {
  Person baby = kAda, ghost = kAda;
  baby.age = 0;
  ghost.age = {};
  EXPECT_EQ(changed(kAda, baby, kAda).age, 0u);
  EXPECT_EQ(changed(baby, ghost, baby).age, std::nullopt);
}

TEST(Delta, TakesAsManyBytesAsTheFieldsThatDiffer) {
  Person older = kAda;
  older.age = 37;
  EXPECT_EQ(encode(PersonDelta::between(kAda, older)), "\x0a\x02\x18\x25");
}

TEST(Delta, SkipsAFieldThatThisVersionDoesNotKnow) {
  std::string bytes;
  Encoder encoder(bytes);
  std::uint32_t unknown = 900;
  encoder.write_value(2, unknown);
  auto delta = decode<PersonDelta>(bytes);
  ASSERT_TRUE(delta);
  Person ada = kAda;
  delta->apply_to(ada);
  EXPECT_EQ(ada, kAda);
}

}  // namespace
}  // namespace muster
