// SPDX-License-Identifier: BSD-3-Clause
// Recordings of random programs, of whose ranks some are killed while they write, or are read while they run: what is read must be
// what was recorded up to then.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace quadrille::seeds {

// Faults of src/recording that a seed finds.
inline constexpr std::array plants_of_recording{
    "definition ended early",   // its end is written before its bytes
    "torn entry accepted",      // an entry whose last unit is missing
    "entry counted twice",      // one before which the rank was away
    "unit between parts lost",  // where the next part of the file is mapped
    "rounding not carried",     // to the next times of the site
    "checksum set early",       // before the file has its length
    "fold repeats once more",   // than the rank did
    "fold loses a rest",        // the calls of a repetition that has begun
    "fold loses names",         // of communicators
    "older run kept",           // of two in a folder
};

// Returns what is wrong, or "".
std::string run_recording(std::uint64_t seed);

}  // namespace quadrille::seeds
