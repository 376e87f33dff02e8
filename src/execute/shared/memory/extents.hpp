// SPDX-License-Identifier: BSD-3-Clause
// How a shared file is mapped in parts. The first extent has 1 MiB, and each further extent is as long as all extents before it
// together.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

#include "execute/shared/memory/file_room.hpp"
#include "quadrille/types.hpp"

namespace quadrille {

// How a file is divided into extents.
struct Extents {
  static constexpr Bytes first = Bytes{1} << 20;
  static constexpr std::size_t most = 28;  // they have 2^47 bytes together: the whole address space of a process

  static std::size_t of(Place place) { return static_cast<std::size_t>(std::bit_width(place >> 20)); }
  static Place begin(std::size_t extent) { return extent == 0 ? 0 : static_cast<Place>(first) << (extent - 1); }
  static Bytes bytes(std::size_t extent) { return extent == 0 ? first : first << (extent - 1); }

  // The address of each extent in this process; null if it is not mapped.
  using Mapped = std::array<std::atomic<std::byte*>, most>;
  static Bytes bytes(const Mapped& mapped);
  static void unmap(const Mapped& mapped);
  static std::string why_not_mapped(std::size_t extent, int error);  // `error` is the errno of mmap
};

}  // namespace quadrille
