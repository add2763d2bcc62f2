// A disk in memory that loses power: what was written but not synced may be gone afterwards, or
// partly there. SQLite sees it as a VFS, the snapshot writer as DurableFiles; both share its files.
// For one thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "io/store/sqlite_snapshot.h"

struct sqlite3_vfs;

namespace muster::io {

// Which unsynced changes survive a power cut.
enum class Survivors : std::uint8_t {
  none,    // nothing
  all,     // all: the process died, the machine did not
  prefix,  // the first few; the last of them is torn
  some,    // any of them, each possibly torn, in any combination of its 512-byte sectors
};

class PowerCutDisk final : public DurableFiles {
 public:
  struct Change {  // a write, or a truncation if `truncates` is set
    std::size_t offset = 0;
    std::string bytes;
    bool truncates = false;
  };
  struct Inode {
    std::string content;           // as programs read it
    std::string durable;           // as of the last sync
    std::vector<Change> unsynced;  // since then
  };
  using InodePtr = std::shared_ptr<Inode>;

  PowerCutDisk();
  ~PowerCutDisk() override;
  PowerCutDisk(const PowerCutDisk&) = delete;
  PowerCutDisk& operator=(const PowerCutDisk&) = delete;

  const std::string& vfs_name() const { return name_; }

  // Changes and syncs so far. cut_at(n) makes the n-th fail, and all after it.
  std::uint64_t operations() const { return operations_; }
  void cut_at(std::uint64_t operation) { cut_at_ = operation; }
  bool has_power() const { return operations_ < cut_at_; }
  // All handles must be closed.
  void restore_power(Survivors survivors, std::uint64_t seed);

  void set_full(bool full) { full_ = full; }
  void set_sync_fails(bool fails) { sync_fails_ = fails; }
  // Files written through DurableFiles: sync() reports success and does nothing.
  void set_file_sync_lies(bool lies) { file_sync_lies_ = lies; }
  std::string& content(const std::string& path);  // to damage it

  // For the VFS. False = no power.
  bool operate();
  bool full() const { return full_; }
  bool sync_fails() const { return sync_fails_; }
  InodePtr find(const std::string& path) const;
  InodePtr create(const std::string& path);
  void apply(Inode& inode, Change change);
  void sync_inode(const std::string& path, Inode& inode);
  void unlink(const std::string& path, bool durable);

  Result<std::vector<std::string>> list(const std::string& dir) override;
  Result<std::string> read(const std::string& path) override;
  Result<void> write(const std::string& path, std::string_view bytes) override;
  Result<void> sync(const std::string& path) override;
  Result<void> sync_dir(const std::string& dir) override;
  Result<void> rename(const std::string& from, const std::string& to) override;
  Result<void> remove(const std::string& path) override;

 private:
  void survive(Inode& inode, Survivors survivors, std::mt19937_64& random);

  std::string name_;
  std::unique_ptr<sqlite3_vfs> vfs_;
  std::map<std::string, InodePtr> entries_, durable_entries_;
  std::uint64_t operations_ = 0;
  std::uint64_t cut_at_ = ~std::uint64_t{0};
  bool full_ = false, sync_fails_ = false, file_sync_lies_ = false;
};

}  // namespace muster::io
