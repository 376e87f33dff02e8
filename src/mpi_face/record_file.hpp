// SPDX-License-Identifier: BSD-3-Clause
// The file of a record: making it, mapping it, and whether its rank still runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "execute/shared/descriptor.hpp"
#include "quadrille/types.hpp"

namespace quadrille::mpi_face {

inline constexpr Count most_world_size = Count{1} << 24;

// A new file of this size. An older file of counters of that name loses its name and nothing else, because who maps it would die of
// its becoming shorter. The file is locked as long as this process lives. Throws Error{environment}; what is no file of counters
// stays as it is.
Descriptor new_record_file(const std::string& path, std::uint64_t bytes);

// Memory of the file, or of no file. Throws Error{environment}.
std::byte* map_record(int descriptor, std::uint64_t bytes, const std::string& path);
void unmap_record(std::byte* memory, std::uint64_t bytes) noexcept;

// Is there a process that writes it? Not known of files of other machines on some file systems: then no.
bool is_being_written(int descriptor);

}  // namespace quadrille::mpi_face
