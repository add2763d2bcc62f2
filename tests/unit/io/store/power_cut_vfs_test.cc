// The disk of power_cut_vfs.h: it does lose what was not synced.
#include "io/power_cut_vfs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cerrno>
#include <cstring>

namespace muster::io {

namespace {

constexpr std::size_t kSector = 512;

struct CutFile {
  sqlite3_file base;  // must be first: SQLite sees only this
  PowerCutDisk* disk;
  std::string* path;
  PowerCutDisk::InodePtr* inode;
};
CutFile& cut_file(sqlite3_file* file) { return *reinterpret_cast<CutFile*>(file); }

void put(std::string& content, const PowerCutDisk::Change& change) {
  if (change.truncates) return content.resize(change.offset);
  if (content.size() < change.offset + change.bytes.size())
    content.resize(change.offset + change.bytes.size());
  content.replace(change.offset, change.bytes.size(), change.bytes);
}

int close(sqlite3_file* file) {
  delete cut_file(file).path;
  delete cut_file(file).inode;
  return SQLITE_OK;
}
int read(sqlite3_file* file, void* out, int amount, sqlite3_int64 offset) {
  CutFile& f = cut_file(file);
  if (!f.disk->has_power()) return SQLITE_IOERR_READ;
  const std::string& content = (*f.inode)->content;
  std::memset(out, 0, static_cast<std::size_t>(amount));
  if (static_cast<std::size_t>(offset) >= content.size()) return SQLITE_IOERR_SHORT_READ;
  std::size_t count = content.copy(static_cast<char*>(out), static_cast<std::size_t>(amount),
                                   static_cast<std::size_t>(offset));
  return count == static_cast<std::size_t>(amount) ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}
int write(sqlite3_file* file, const void* data, int amount, sqlite3_int64 offset) {
  CutFile& f = cut_file(file);
  if (f.disk->full()) return SQLITE_FULL;
  if (!f.disk->has_power()) return SQLITE_IOERR_WRITE;
  f.disk->apply(**f.inode,
                {static_cast<std::size_t>(offset),
                 std::string(static_cast<const char*>(data), static_cast<std::size_t>(amount))});
  return f.disk->operate() ? SQLITE_OK : SQLITE_IOERR_WRITE;
}
int truncate(sqlite3_file* file, sqlite3_int64 size) {
  CutFile& f = cut_file(file);
  if (!f.disk->has_power()) return SQLITE_IOERR_TRUNCATE;
  f.disk->apply(**f.inode, {static_cast<std::size_t>(size), {}, true});
  return f.disk->operate() ? SQLITE_OK : SQLITE_IOERR_TRUNCATE;
}
int sync(sqlite3_file* file, int) {
  CutFile& f = cut_file(file);
  if (!f.disk->operate() || f.disk->sync_fails()) return SQLITE_IOERR_FSYNC;
  f.disk->sync_inode(*f.path, **f.inode);
  return SQLITE_OK;
}
int file_size(sqlite3_file* file, sqlite3_int64* size) {
  *size = static_cast<sqlite3_int64>((*cut_file(file).inode)->content.size());
  return SQLITE_OK;
}
int lock(sqlite3_file*, int) { return SQLITE_OK; }
int check_reserved_lock(sqlite3_file*, int* held) {
  *held = 0;
  return SQLITE_OK;
}
int file_control(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
int sector_size(sqlite3_file*) { return 4096; }
int device_characteristics(sqlite3_file*) {
  return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}  // as the system's VFS

const sqlite3_io_methods kMethods = [] {
  sqlite3_io_methods methods{};
  methods.iVersion = 1;
  methods.xClose = close;
  methods.xRead = read;
  methods.xWrite = write;
  methods.xTruncate = truncate;
  methods.xSync = sync;
  methods.xFileSize = file_size;
  methods.xLock = methods.xUnlock = lock;
  methods.xCheckReservedLock = check_reserved_lock;
  methods.xFileControl = file_control;
  methods.xSectorSize = sector_size;
  methods.xDeviceCharacteristics = device_characteristics;
  return methods;
}();

PowerCutDisk& disk_of(sqlite3_vfs* vfs) { return *static_cast<PowerCutDisk*>(vfs->pAppData); }

int open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* out_flags) {
  CutFile& f = cut_file(file);
  f.base.pMethods = nullptr;
  PowerCutDisk& disk = disk_of(vfs);
  PowerCutDisk::InodePtr inode = path ? disk.find(path) : std::make_shared<PowerCutDisk::Inode>();
  if (!inode) {
    if (!(flags & SQLITE_OPEN_CREATE) || !disk.operate()) return SQLITE_CANTOPEN;
    inode = disk.create(path);
  }
  f.disk = &disk;
  f.path = new std::string(path ? path : "");
  f.inode = new PowerCutDisk::InodePtr(std::move(inode));
  f.base.pMethods = &kMethods;
  if (out_flags) *out_flags = flags;
  return SQLITE_OK;
}
int remove(sqlite3_vfs* vfs, const char* path, int sync_dir) {
  if (!disk_of(vfs).operate()) return SQLITE_IOERR_DELETE;
  if (!disk_of(vfs).find(path)) return SQLITE_IOERR_DELETE_NOENT;
  disk_of(vfs).unlink(path, sync_dir != 0);
  return SQLITE_OK;
}
int access(sqlite3_vfs* vfs, const char* path, int, int* result) {
  *result = disk_of(vfs).find(path) != nullptr;
  return SQLITE_OK;
}
int full_pathname(sqlite3_vfs*, const char* path, int size, char* out) {
  sqlite3_snprintf(size, out, "%s", path);
  return SQLITE_OK;
}

}  // namespace

PowerCutDisk::PowerCutDisk() : vfs_(std::make_unique<sqlite3_vfs>(*sqlite3_vfs_find(nullptr))) {
  static int count = 0;
  name_ = fmt::format("power-cut-{}", ++count);
  vfs_->szOsFile = sizeof(CutFile);
  vfs_->pNext = nullptr;
  vfs_->zName = name_.c_str();
  vfs_->pAppData = this;
  vfs_->xOpen = io::open;
  vfs_->xDelete = io::remove;
  vfs_->xAccess = io::access;
  vfs_->xFullPathname = io::full_pathname;
  sqlite3_vfs_register(vfs_.get(), 0);
}

PowerCutDisk::~PowerCutDisk() { sqlite3_vfs_unregister(vfs_.get()); }

bool PowerCutDisk::operate() {
  if (!has_power()) return false;
  ++operations_;
  return has_power();
}

PowerCutDisk::InodePtr PowerCutDisk::find(const std::string& path) const {
  auto entry = entries_.find(path);
  return entry == entries_.end() ? nullptr : entry->second;
}

PowerCutDisk::InodePtr PowerCutDisk::create(const std::string& path) {
  return entries_[path] = std::make_shared<Inode>();
}

void PowerCutDisk::apply(Inode& inode, Change change) {
  put(inode.content, change);
  inode.unsynced.push_back(std::move(change));
}

// Like the system's VFS, syncs the directory when it first syncs a new file.
void PowerCutDisk::sync_inode(const std::string& path, Inode& inode) {
  inode.durable = inode.content;
  inode.unsynced.clear();
  if (auto entry = find(path); entry.get() == &inode) durable_entries_[path] = entry;
}

void PowerCutDisk::unlink(const std::string& path, bool durable) {
  entries_.erase(path);
  if (durable) durable_entries_.erase(path);
}

std::string& PowerCutDisk::content(const std::string& path) { return find(path)->content; }

void PowerCutDisk::restore_power(Survivors survivors, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::map<std::string, InodePtr> left = durable_entries_;
  if (survivors != Survivors::none) {
    auto keeps = [&] { return survivors == Survivors::all || random() % 2 == 0; };
    for (const auto& [path, inode] : durable_entries_)
      if (find(path) != inode && keeps()) left.erase(path);
    for (const auto& [path, inode] : entries_)
      if ((!durable_entries_.contains(path) || durable_entries_[path] != inode) && keeps())
        left[path] = inode;
  }
  for (auto& [path, inode] : left) survive(*inode, survivors, random);
  entries_ = durable_entries_ = left;
  cut_at_ = ~std::uint64_t{0};
}

void PowerCutDisk::survive(Inode& inode, Survivors survivors, std::mt19937_64& random) {
  std::vector<Change> kept;
  std::vector<Change> unsynced = std::move(inode.unsynced);
  if (survivors == Survivors::all) kept = unsynced;
  if (survivors == Survivors::prefix && !unsynced.empty()) {
    std::size_t count = random() % (unsynced.size() + 1);
    kept.assign(unsynced.begin(), unsynced.begin() + static_cast<std::ptrdiff_t>(count));
    if (!kept.empty() && !kept.back().truncates)
      kept.back().bytes.resize(random() % (kept.back().bytes.size() + 1));
  }
  if (survivors == Survivors::some) {
    for (const Change& change : unsynced) {
      if (random() % 2 == 0) continue;
      bool torn = !change.truncates && random() % 3 == 0;
      if (!torn) {
        kept.push_back(change);
        continue;
      }
      for (std::size_t at = 0; at < change.bytes.size(); at += kSector)
        if (random() % 2 == 0)
          kept.push_back({change.offset + at, change.bytes.substr(at, kSector)});
    }
  }
  for (const Change& change : kept) put(inode.durable, change);
  inode.content = inode.durable;
  inode.unsynced.clear();
}

Result<std::vector<std::string>> PowerCutDisk::list(const std::string& dir) {
  if (!has_power()) return fail("no power");
  std::vector<std::string> names;
  for (const auto& [path, inode] : entries_)
    if (path.starts_with(dir + "/")) names.push_back(path.substr(dir.size() + 1));
  return names;
}

Result<std::string> PowerCutDisk::read(const std::string& path) {
  auto inode = find(path);
  if (!has_power() || !inode) return fail(path + ": cannot read it");
  return inode->content;
}

Result<void> PowerCutDisk::write(const std::string& path, std::string_view bytes) {
  if (!has_power()) return fail("no power");
  auto inode = find(path) ? find(path) : create(path);
  apply(*inode, {0, {}, true});
  apply(*inode, {0, std::string(bytes.substr(0, full_ ? bytes.size() / 2 : bytes.size()))});
  if (full_) return fail(ErrorCode::state_storage_full, path);
  if (!operate()) return fail("no power");
  return {};
}

Result<void> PowerCutDisk::sync(const std::string& path) {
  if (!operate() || sync_fails_) return fail("fsync failed");
  if (file_sync_lies_) return {};
  auto inode = find(path);
  inode->durable = inode->content;  // its name becomes durable only with sync_dir()
  inode->unsynced.clear();
  return {};
}

Result<void> PowerCutDisk::sync_dir(const std::string& dir) {
  if (!operate() || sync_fails_) return fail("fsync failed");
  std::erase_if(durable_entries_,
                [&](const auto& entry) { return entry.first.starts_with(dir + "/"); });
  for (const auto& [path, inode] : entries_)
    if (path.starts_with(dir + "/")) durable_entries_[path] = inode;
  return {};
}

Result<void> PowerCutDisk::rename(const std::string& from, const std::string& to) {
  if (!has_power()) return fail("no power");
  entries_[to] = find(from);
  entries_.erase(from);
  if (!operate()) return fail("no power");
  return {};
}

Result<void> PowerCutDisk::remove(const std::string& path) {
  if (!has_power()) return fail("no power");
  unlink(path, false);
  if (!operate()) return fail("no power");
  return {};
}

TEST(PowerCutDisk, LosesWhatWasNotSynced) {
  PowerCutDisk disk;
  ASSERT_TRUE(disk.write("/d/a", "old") && disk.sync("/d/a") && disk.sync_dir("/d"));
  ASSERT_TRUE(disk.write("/d/a", "new"));
  EXPECT_EQ(*disk.read("/d/a"), "new");
  disk.restore_power(Survivors::none, 1);
  EXPECT_EQ(*disk.read("/d/a"), "old");
}

TEST(PowerCutDisk, LosesANameWhoseDirectoryWasNotSynced) {
  PowerCutDisk disk;
  ASSERT_TRUE(disk.write("/d/a", "x") && disk.sync("/d/a"));
  disk.restore_power(Survivors::none, 1);
  EXPECT_FALSE(disk.read("/d/a"));
}

TEST(PowerCutDisk, FailsEverythingFromTheCutOn) {
  PowerCutDisk disk;
  disk.cut_at(2);
  EXPECT_TRUE(disk.write("/d/a", "x"));
  EXPECT_FALSE(disk.sync("/d/a"));
  EXPECT_FALSE(disk.read("/d/a"));
}

}  // namespace muster::io
