// ShortList<T>: a vector of plain values that stores a few elements inside itself. Sets of CPUs and
// devices mostly have one or two ranges; on the heap each copy of them would cost an allocation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace muster {

template <class T>
class ShortList {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  using value_type = T;

  ShortList() = default;
  ShortList(const ShortList& other) { assign(other); }
  ShortList(ShortList&& other) noexcept { swap(other); }
  ShortList& operator=(const ShortList& other) {
    if (this != &other) assign(other);
    return *this;
  }
  ShortList& operator=(ShortList&& other) noexcept {
    swap(other);
    return *this;
  }
  ~ShortList() {
    if (!is_within()) delete[] store_.beyond;
  }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  T* begin() { return is_within() ? store_.within : store_.beyond; }
  T* end() { return begin() + size_; }
  const T* begin() const { return is_within() ? store_.within : store_.beyond; }
  const T* end() const { return begin() + size_; }
  const T& front() const { return *begin(); }     // requires !empty()
  const T& back() const { return *(end() - 1); }  // requires !empty()
  T& operator[](std::size_t i) { return begin()[i]; }
  const T& operator[](std::size_t i) const { return begin()[i]; }

  T& emplace_back() {
    reserve(size_ + 1);
    T& added = begin()[size_++];
    added = T{};
    return added;
  }
  void push_back(T value) { emplace_back() = value; }
  void insert(const T* before, T value) {
    const std::size_t place = place_of(before);
    reserve(size_ + 1);
    T* at = begin() + place;
    std::copy_backward(at, end(), end() + 1);
    *at = value;
    ++size_;
  }
  void erase(const T* first, const T* last) {
    std::copy(last, static_cast<const T*>(end()), begin() + place_of(first));
    size_ -= static_cast<std::uint32_t>(last - first);
  }
  void erase(const T* at) { erase(at, at + 1); }

  friend bool operator==(const ShortList& a, const ShortList& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  static constexpr std::uint32_t kWithin = std::max<std::uint32_t>(1, 16 / sizeof(T));

  union Store {
    T within[kWithin];
    T* beyond;
    Store() : within{} {}
  };

  bool is_within() const { return capacity_ == kWithin; }
  std::size_t place_of(const T* at) const { return static_cast<std::size_t>(at - begin()); }
  void reserve(std::uint32_t wanted) {
    if (wanted <= capacity_) return;
    const std::uint32_t capacity = std::max(wanted, 2 * capacity_);
    T* larger = new T[capacity];
    std::copy(begin(), end(), larger);
    if (!is_within()) delete[] store_.beyond;
    store_.beyond = larger;
    capacity_ = capacity;
  }
  void assign(const ShortList& other) {
    size_ = 0;  // the old elements need not be moved
    reserve(other.size_);
    std::copy(other.begin(), other.end(), begin());
    size_ = other.size_;
  }
  void swap(ShortList& other) noexcept {
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    std::swap(store_, other.store_);
  }

  std::uint32_t size_ = 0, capacity_ = kWithin;
  Store store_;
};

}  // namespace muster
