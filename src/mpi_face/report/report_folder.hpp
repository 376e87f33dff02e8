// SPDX-License-Identifier: BSD-3-Clause
// The folder with the counters of a run, and the report that the last rank writes. Nothing here depends on MPI.
#pragma once

#include <unistd.h>

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

// Parses "summary", "full", "summary:FILE" or "full:FILE"; returns nothing for other texts.
std::optional<ReportWish> parse_report_wish(const std::string& words);

// What QUADRILLE_WATCH asks for, such as "10"; from 'quadrille wrap' "10 check by 4711 17" or, on rank 0, "10 by 4711
// 17 10.0.0.1:4000 KEY".
struct WatchWish {
  double limit_s = 0;        // a call that takes longer may hang
  bool checks = false;       // ranks compare their calls
  pid_t watcher = 0;         // the process that reads the counters, and removes them; 0: none; negative: it could not be started
  std::uint64_t run = 0;     // the run, as the watcher numbers it; 0: there is no watcher
  std::string meeting = {};  // where the watchers of several nodes meet
};

// The value for QUADRILLE_WATCH.
std::string to_text(const WatchWish& wish);

// Returns nothing unless the text begins with a number of seconds, at least 0.1.
std::optional<WatchWish> parse_watch_wish(const std::string& words);

// A number that all ranks of a run share and no other run has, computed from the launcher's environment variables and the process
// that started this machine's ranks. 0: unknown. `process`: a rank that this machine runs, or that process's parent.
std::uint64_t number_of_run(long process = ::getpid());

// The file of this machine's ranks for CallChecks. A run before may have left one in the same folder.
std::string calls_path(const std::string& folder, std::uint64_t run);

// Returns the file for the report as JSON, FILE.json. The wish must name a file.
std::string json_file(const ReportWish& wish);

// Throws Error{environment} if FILE.counters exists and cannot hold the counters: it is not a folder, belongs to another user, or
// is open to others. The wish must name a file.
void check_report_folder(const ReportWish& wish);

// Returns the folder for the files of a run: FILE.counters, or the user's own folder in $TMPDIR or /tmp. Makes it with mode 0700 if
// it does not exist. Throws Error{environment}, also as check_report_folder does.
std::string make_report_folder(const ReportWish& wish, std::uint64_t run);
std::string report_folder(const ReportWish& wish, std::uint64_t run);  // only its name

// The user's most recently written folder in $TMPDIR or /tmp.
std::optional<std::string> latest_report_folder();

// Removes the user's own folders of counters in the temporary folder that are older than three days, if their runs were killed.
void remove_old_report_folders();

std::string record_path(const std::string& folder, Rank rank);

// The copy of /proc/PID/maps of a watched rank, and what its watcher has answered last, beside its file of counters.
inline std::string maps_path(const std::string& record) { return record + ".maps"; }
inline std::string answer_path(const std::string& record) { return record + ".seen"; }

// A rank calls this after its record has ended, if the ranks do not hand over their counters (collection.hpp). If no rank of this
// machine with counters in the folder is still running, this rank writes the report: text to stderr or to the file, and JSON beside
// the file. With several machines, the machine of rank 0 writes the report, and so does the machine that ends last if it can see
// that all ranks have ended. No rank waits or communicates. A rank that never called a collective does not take part. A temporary
// folder is removed if all its ranks have ended normally. Throws Error.
void report_if_last(const std::string& folder, const ReportWish& wish);

// Like report_if_last, for the ranks whose counters are in the folder: no others could be collected.
void report_collected(const std::string& folder, const ReportWish& wish, std::uint64_t run);

// Removes the counters of a rank that has handed them over, and what watchers have put beside them, and the folder after the last
// one.
void remove_record(const std::string& folder, Rank rank);

// For worlds that MPI_Comm_spawn has made: their reports are FILE.spawned-1, FILE.spawned-2 and so on. The first function makes
// the folder for the counters of the next such world, and returns its number; 0 if it cannot. The wish must name a file.
std::uint64_t new_spawned_folder(const ReportWish& wish);
ReportWish spawned_wish(const ReportWish& wish, std::uint64_t number);

}  // namespace quadrille::mpi_face
