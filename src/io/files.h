// files: reads whole files, writes files completely or not at all, and computes hashes.
#pragma once

#include <sys/types.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster::io {

Result<std::string> read_file(const std::string& path);

// Writes a temporary file, syncs it, renames it and syncs the directory: after a power cut the path
// has either the old bytes or the new ones.
Result<void> write_file_atomic(const std::string& path, std::string_view bytes, mode_t mode);

// Makes the directory and its parents. A directory that exists keeps its mode.
Result<void> make_directories(const std::string& path, mode_t mode);

bool exists(const std::string& path);
Result<void> remove_file(const std::string& path);  // a missing file is not an error
Result<void> remove_tree(const std::string& path);  // likewise
Result<std::vector<std::string>> list_directory(
    const std::string& path);  // names, sorted, without . and ..

using Sha256 = std::array<unsigned char, 32>;
Sha256 sha256(std::string_view bytes);
std::string content_hash(std::string_view bytes);  // the bytes of sha256 as a string
// HMAC-SHA256 in hexadecimal: only those who know the key can compute it.
std::string keyed_hash(std::string_view key, std::string_view text);
std::string random_bytes(std::size_t count);  // from the kernel's cryptographic source

// Is the path, or its nearest existing parent, on NFS?
bool is_nfs(const std::string& path);

}  // namespace muster::io
