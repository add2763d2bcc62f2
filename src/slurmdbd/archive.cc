// See archive.h.
#include "slurmdbd/archive.h"

#include <fmt/format.h>

#include "base/codec/codec.h"
#include "io/files.h"

namespace muster::dbd {

namespace {

constexpr std::string_view kFirstLine = "muster archive 1\n";
constexpr std::size_t kLengthBytes = 4;

void append_row(std::string& bytes, const std::string& row) {
  for (std::size_t i = 0; i < kLengthBytes; ++i)
    bytes.push_back(static_cast<char>(row.size() >> (8 * i) & 0xff));
  bytes += row;
}

}  // namespace

Result<std::string> write_archive(const std::string& directory, std::string_view kind, Time now,
                                  const std::vector<ArchivedRow>& rows) {
  std::string bytes(kFirstLine);
  for (const ArchivedRow& row : rows) append_row(bytes, encode(row));
  if (auto made = io::make_directories(directory, 0700); !made)
    return std::unexpected(made.error());
  std::string path;
  for (int n = 0; path.empty() || io::exists(path); ++n)
    path = fmt::format("{}/slurmdbd_{}_archive_{}.{}", directory, kind, unix_seconds(now), n);
  if (auto written = io::write_file_atomic(path, bytes, 0600); !written)
    return std::unexpected(written.error());
  return path;
}

Result<std::vector<ArchivedRow>> read_archive(std::string_view bytes) {
  if (!bytes.starts_with(kFirstLine)) return fail("it is no archive of slurmdbd");
  bytes.remove_prefix(kFirstLine.size());
  std::vector<ArchivedRow> rows;
  while (!bytes.empty()) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < kLengthBytes && i < bytes.size(); ++i)
      length |= std::size_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    if (bytes.size() < kLengthBytes || bytes.size() - kLengthBytes < length)
      return fail("the archive is cut off");
    auto row = decode<ArchivedRow>(bytes.substr(kLengthBytes, length));
    if (!row) return fail("a row of the archive is damaged: " + row.error().text());
    rows.push_back(std::move(*row));
    bytes.remove_prefix(kLengthBytes + length);
  }
  return rows;
}

}  // namespace muster::dbd
