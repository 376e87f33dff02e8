// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/memory/extents.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "problem/limits.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

Bytes Extents::bytes(const Mapped& mapped) {
  Bytes sum = 0;
  for (std::size_t extent = 0; extent < most; ++extent)
    if (mapped[extent].load(std::memory_order_relaxed)) sum += bytes(extent);
  return sum;
}

void Extents::unmap(const Mapped& mapped) {
  for (std::size_t extent = 0; extent < most; ++extent)
    if (std::byte* memory = mapped[extent].load(std::memory_order_relaxed)) ::munmap(memory, index(bytes(extent)));
}

std::string Extents::why_not_mapped(std::size_t extent, int error) {
  const auto addresses = free_addresses();
  if (error == ENOMEM && addresses && *addresses < bytes(extent))
    return fmt::format(
        "the limit of addresses (ulimit -v) leaves {} KiB, and {} KiB of shared memory must be mapped; raise the limit",
        *addresses / 1024, bytes(extent) / 1024);
  return fmt::format("mmap: {}", std::strerror(error));
}

}  // namespace quadrille
