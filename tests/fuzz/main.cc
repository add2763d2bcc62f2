// The program around the targets:
//   fuzz --list                           their names
//   fuzz --target=NAME --write-seeds=DIR  writes what it starts from
//   fuzz --target=NAME [libFuzzer's options and corpora]
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "fuzz/target.h"

namespace {

using namespace muster::fuzz;

const Target* chosen = nullptr;

void choose(std::string_view name) {
  for (const Target& target : targets())
    if (target.name == name) chosen = &target;
  if (chosen) return;
  std::fprintf(stderr, "fuzz: no target %s\n", std::string(name).c_str());
  std::exit(2);
}

[[noreturn]] void list() {
  for (const Target& target : targets()) std::puts(std::string(target.name).c_str());
  std::exit(0);
}

[[noreturn]] void write_seeds(const std::string& dir) {
  std::size_t number = 0;
  for (const std::string& seed : chosen->seeds()) {
    std::ofstream file(dir + "/seed-" + std::to_string(number++), std::ios::binary);
    file << seed;
    if (!file) std::exit(2);
  }
  std::exit(0);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  for (int i = 1; i < *argc; ++i) {
    std::string_view word = (*argv)[i];
    if (word == "--list") list();
    if (word.starts_with("--target=")) choose(word.substr(9));
    if (word.starts_with("--write-seeds=") && chosen) write_seeds(std::string(word.substr(14)));
  }
  if (chosen) return 0;
  std::fputs("fuzz: --target=NAME says which one (--list)\n", stderr);
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen->run({reinterpret_cast<const char*>(data), size});
  return 0;
}
