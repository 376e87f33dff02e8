// SPDX-License-Identifier: BSD-3-Clause
// How a recording begins, and how it is completed and collected at the end.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>

#include "foundation/mpi_libraries.hpp"
#include "foundation/system/files.hpp"
#include "foundation/system/proc.hpp"
#include "mpi_face/mpi_courier.hpp"
#include "mpi_face/mpi_facts.hpp"
#include "mpi_face/recording/recorder.hpp"
#include "mpi_face/report/collection.hpp"
#include "mpi_face/report/report_folder.hpp"
#include "mpi_face/settings.hpp"
#include "quadrille/error.hpp"
#include "quadrille/version.hpp"
#include "recording/rank_contents.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr std::size_t most_mebibytes = 2047;  // of a rank's file: one message carries it

// The ranks send their files over this communicator. It is made in MPI_Init, because in MPI_Finalize ranks may be dead.
MPI_Comm collecting = MPI_COMM_NULL;
std::string why_not;

// The token of a rank (report/collection.hpp); if there is no file, it says why.
std::string token_of(const std::string& path) {
  try {
    if (why_not.empty()) return recording::token_of_rank(path);
  } catch (const std::exception& error) {
    why_not = error.what();
  }
  return has_no_file + why_not;
}

// Returns an empty text if the file cannot be read. Does not throw, because rank 0 waits for the text.
std::string text_to_send(const std::string& path) try {
  FileText file = read_regular_file(path, most_mebibytes, "the file of the rank");
  return file.error == 0 ? std::move(file.text) : "";
} catch (const std::exception&) {
  return {};
}

void collect_files(Rank rank, const std::string& folder) {
  int ranks = 1;
  PMPI_Comm_size(collecting, &ranks);
  MpiCourier courier(collecting);
  if (rank == 0) {
    FileCollector collector([&](Rank from) { return recording::recording_path(folder, from); }, recording::token_of_rank);
    collect(courier, ranks, collector);
    if (const std::string lost = collector.lost("recording"); !lost.empty()) remark(lost);
    if (!why_not.empty())
      remark("rank 0 has no recording: " + why_not);
    else
      remark(fmt::format("the recording of {} rank{} is in {}; print it by: quadrille recording {}", ranks, ranks == 1 ? "" : "s",
                         folder, folder));
    return;
  }
  const std::string path = recording::recording_path(folder, rank);
  if (!hand_over(courier, token_of(path), [&] { return text_to_send(path); })) return;
  ::unlink(path.c_str());
  ::rmdir(folder.c_str());
}

}  // namespace

void Recorder::begin() {
  const auto& wish = Settings::get().record;
  if (!wish || Settings::get().is_off || current_ || collecting != MPI_COMM_NULL || is_spawned()) return;
  int rank = 0, ranks = 1;
  if (PMPI_Comm_dup(MPI_COMM_WORLD, &collecting) != MPI_SUCCESS) return;
  PMPI_Comm_set_errhandler(collecting, MPI_ERRORS_RETURN);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  try {
    recording::make_recording_folder(wish->folder);
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const recording::RankFacts facts{.program = own_command_line(200),
                                     .mpi = library_version(),
                                     .version = std::string(version()),
                                     .host = host_name(),
                                     .settings = library_settings(),
                                     .rank = rank,
                                     .world_size = ranks,
                                     .run = number_of_run(),
                                     .start_unix_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count(),
                                     .process = ::getpid(),
                                     .folds = wish->folds};
    current_ =
        new Recorder(wish->folder, facts, TickMoment::now(), 1 / seconds_of(1.0));  // never destroyed: MPI may be called late
  } catch (const std::exception& error) {
    why_not = error.what();
  }
}

void Recorder::end() {
  Recorder* const recorder = std::exchange(current_, nullptr);
  if (collecting == MPI_COMM_NULL || (recorder && recorder->facts_.process != ::getpid())) return;
  int rank = 0;
  PMPI_Comm_rank(collecting, &rank);
  const std::string folder = Settings::get().record->folder;
  try {
    if (recorder && recorder->log_.header().end_ticks != 0) {  // otherwise another thread may be inside, and add entries
      recorder->log_.close();
      if (recorder->facts_.folds) recording::fold_rank(recording::recording_path(folder, rank));
    }
  } catch (const std::exception& error) {  // the file has all calls
    remark(fmt::format("the recording of rank {} is not folded: {}", rank, error.what()));
  }
  try {
    collect_files(rank, folder);
  } catch (const std::exception& error) {
    remark(error.what());
  }
}

// From now on no call is seen.
void Recorder::finish() noexcept try {
  if (!enter()) return;
  calibrate();
  {
    const std::lock_guard lock(late_names_mutex_);
    for (const auto& [communicator, name] : late_names_) log_.rename(communicator, name);
  }
  if (CommunicatorState* const world = CommunicatorState::of(MPI_COMM_WORLD))
    write(sites_.of(RecordedKind::making, "Finalize", here(*world)), 0);
  log_.header().end_ticks = began_;
} catch (const std::bad_alloc&) {  // no memory for the site
}

}  // namespace quadrille::mpi_face
