// Files as values: whole reads, writes that are there completely or not at all, and random bytes.
#pragma once

#include <sys/types.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster::io {

Result<std::string> read_file(const std::string& path);

// Temporary file, fsync, rename, fsync of the directory: after a power cut the path holds either
// the old bytes or the new ones.
Result<void> write_file_atomic(const std::string& path, std::string_view bytes, mode_t mode);

// With all parents; one that exists already keeps its mode.
Result<void> make_directories(const std::string& path, mode_t mode);

bool exists(const std::string& path);
Result<void> remove_file(const std::string& path);  // one that is not there is no error
Result<void> remove_tree(const std::string& path);  // likewise
Result<std::vector<std::string>> list_directory(
    const std::string& path);  // names, sorted, without . and ..

using Sha256 = std::array<unsigned char, 32>;
Sha256 sha256(std::string_view bytes);
std::string content_hash(std::string_view bytes);  // the same, its bytes as a string
// What only those can compute who know the key (HMAC-SHA256), in hexadecimal.
std::string keyed_hash(std::string_view key, std::string_view text);
std::string random_bytes(std::size_t count);  // of the kernel's cryptographic source

// Is the path, or the nearest parent that exists, on NFS?
bool is_nfs(const std::string& path);

}  // namespace muster::io
