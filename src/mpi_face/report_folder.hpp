// SPDX-License-Identifier: BSD-3-Clause
// Where the files of a run's counters lie, and the report that the last of its ranks writes. Nothing here knows MPI.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "quadrille/types.hpp"

namespace quadrille::mpi_face {

// What QUADRILLE_REPORT asks for.
struct ReportWish {
  bool full = false;
  std::string file;  // empty: stderr
};

// "summary", "full", "summary:FILE" or "full:FILE"; nothing for other words.
std::optional<ReportWish> parse_report_wish(const std::string& words);

// A number that the ranks of a run have in common and no other run has, from what the launcher left in the environment and from
// the process that started the ranks of this machine. 0: not known.
std::uint64_t number_of_run();

// The folder for the files of a run: FILE.counters, or one in $TMPDIR or /tmp that is the user's own. Makes it where it is not
// there, with mode 0700. Throws Error{environment}, also where a folder of that name is another user's or open to others.
std::string make_report_folder(const ReportWish& wish, std::uint64_t run);

// The one of the user's folders in $TMPDIR or /tmp that was written last.
std::optional<std::string> latest_report_folder();

std::string record_path(const std::string& folder, Rank rank);

// To be called by a rank after its record ended: if no rank of this machine that has counters in the folder is still running, this
// rank writes the report, text to stderr or to the file, and JSON beside the file. Of several machines, rank 0's does so, and the
// last one if it sees that all ranks have ended. Nothing is waited for, and no rank talks to another: one that never called a
// collective takes no part. A folder of temporary files whose ranks all ended well is removed then. Throws Error.
void report_if_last(const std::string& folder, const ReportWish& wish);

}  // namespace quadrille::mpi_face
