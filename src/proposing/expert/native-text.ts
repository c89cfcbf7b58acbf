/** C++ that every assembled file shares, whichever language it is compiled as. */

/** Pointers convert to what the called function asks for; the layout rule in recipe.ts makes that right. */
export const pointerType = `struct hiera_pointer {
  const char* at;
  template <class T> operator T*() const { return reinterpret_cast<T*>(const_cast<char*>(at)); }
};
static inline hiera_pointer hiera_at(const void* base, int64_t bytes) { return {static_cast<const char*>(base) + bytes}; }`;

/** A fresh output costs one page fault for each page: with 2 MiB pages 512 times fewer (Linux, transparent huge pages). */
export const hugePages = `#include <sys/mman.h>
static inline void hiera_huge_pages(void* start, int64_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr uintptr_t page = 2u << 20;
  const uintptr_t from = (reinterpret_cast<uintptr_t>(start) + page - 1) & ~(page - 1);
  const uintptr_t to = (reinterpret_cast<uintptr_t>(start) + static_cast<uintptr_t>(bytes)) & ~(page - 1);
  if (to > from) madvise(reinterpret_cast<void*>(from), to - from, MADV_HUGEPAGE);
#endif
}`;

/** Smaller outputs come from memory that the allocator keeps mapped. */
export const hugeFrom = 4 << 20;
