// Cow<T>: a copy-on-write value, shared between copies until one of them is edited. Thanks to it, a
// snapshot of the whole cluster is a copy of a few pointers.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace muster {

template <class T>
class Cow {
 public:
  Cow() = default;  // holds nothing
  explicit Cow(T value) : cell_(new Cell{std::move(value)}) {}
  Cow(const Cow& other) noexcept : cell_(other.cell_) {
    if (cell_) cell_->references.fetch_add(1, std::memory_order_relaxed);
  }
  Cow(Cow&& other) noexcept : cell_(std::exchange(other.cell_, nullptr)) {}
  Cow& operator=(Cow other) noexcept {
    std::swap(cell_, other.cell_);
    return *this;
  }
  ~Cow() {
    if (cell_ && cell_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete cell_;
  }

  explicit operator bool() const { return cell_ != nullptr; }
  const T& operator*() const { return cell_->value; }
  const T* operator->() const { return &cell_->value; }

  // Returns the value for changes, after copying it if other copies still share it.
  // Only the owner of this Cow may call it; readers hold copies of their own.
  T& edit() {
    if (cell_->references.load(std::memory_order_acquire) != 1) *this = Cow(cell_->value);
    return cell_->value;
  }

  // Replaces the value by a new, unshared one for the caller to fill in.
  T& emplace() {
    *this = Cow();
    cell_ = new Cell;
    return cell_->value;
  }

  friend bool operator==(const Cow& a, const Cow& b) {
    if (a.cell_ == b.cell_) return true;
    return a.cell_ && b.cell_ && a.cell_->value == b.cell_->value;
  }

 private:
  struct Cell {
    Cell() = default;
    explicit Cell(T v) : value(std::move(v)) {}
    std::atomic<std::uint32_t> references{1};
    T value{};
  };
  Cell* cell_ = nullptr;
};

}  // namespace muster
