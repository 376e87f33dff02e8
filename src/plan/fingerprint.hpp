// SPDX-License-Identifier: BSD-3-Clause
// What a fingerprint is made of, from texts and files of the system.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace quadrille {

// Of what /proc/cpuinfo says: "AMD EPYC 7763 64-Core Processor"; "unknown" where it says nothing.
std::string processor_of(std::string_view cpuinfo);

// The adapters below a folder like /sys/class that are up and say how fast they are: "2 x mlx5 200 Gbit/s". InfiniBand and what
// looks like it, or else Ethernet; "unknown" where there is neither.
std::string network_of(const std::filesystem::path& classes);

// "Open MPI v4.1.4, package: ..." and "MPICH Version:      4.0.2" become "Open MPI 4.1.4" and "MPICH 4.0.2".
std::string short_mpi_version(std::string_view version);

}  // namespace quadrille
