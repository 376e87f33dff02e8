// SPDX-License-Identifier: BSD-3-Clause
// The parts of a fingerprint, parsed from texts and files of the system.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "quadrille/wisdom.hpp"

namespace quadrille {

// Returns the fingerprint of the communicator's machine. Local; only for rank 0.
Fingerprint fingerprint_at_first(Communicator& communicator);

// Returns the processor named in the text of /proc/cpuinfo, such as "AMD EPYC 7763 64-Core Processor"; "unknown" if none is named.
std::string processor_of(std::string_view cpuinfo);

// Returns the network adapters below a folder like /sys/class that are up and state a rate, such as "2 x mlx5 200 Gbit/s". Ethernet
// adapters are returned only if there are no InfiniBand or compatible ones. Returns "unknown" if there are no adapters.
std::string network_of(const std::filesystem::path& classes);

// Shortens "Open MPI v4.1.4, package: ..." to "Open MPI 4.1.4", and "MPICH Version:      4.0.2" to "MPICH 4.0.2".
std::string short_mpi_version(std::string_view version);

}  // namespace quadrille
