// SPDX-License-Identifier: BSD-3-Clause
// The file of a record: making it and mapping it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "foundation/system/files.hpp"
#include "quadrille/types.hpp"

namespace quadrille::mpi_face {

inline constexpr Count most_world_size = Count{1} << 24;

// Makes a new file of this size, locked while this process lives. An older file of counters with this name is unlinked, not
// truncated: a process that has mapped it would crash if it became shorter. Throws Error{environment}, also if the name belongs to
// some other file, which is left unchanged.
Descriptor new_record_file(const std::string& path, std::uint64_t bytes);

// Maps the file or, if `descriptor` is negative, anonymous memory. Throws Error{environment}.
std::byte* map_record(int descriptor, std::uint64_t bytes, const std::string& path);
void unmap_record(std::byte* memory, std::uint64_t bytes) noexcept;

}  // namespace quadrille::mpi_face
