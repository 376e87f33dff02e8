// SPDX-License-Identifier: BSD-3-Clause
// How a recording begins, and how it is packed and collected at the end.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>

#include "foundation/system/file_replacement.hpp"
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
#include "recording/read_recording.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr std::size_t most_mebibytes = 2047;  // of a rank's file: one message carries it

// Tells a rank's file from those of other runs: its length, and its checksum.
std::string token_of(std::string_view file) {
  std::string token = fmt::format("{} ", file.size());
  for (const char byte : file.substr(file.size() - std::min<std::size_t>(8, file.size())))
    token += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return token;
}

// Makes the rank's file of its log, which is then removed.
std::string packed_log(const std::string& folder, Rank rank) {
  std::string file = recording::file_of(recording::read_log(folder, rank));
  if (const Result<> written = replace_file(recording::file_path(folder, rank), file); !written)
    throw Error(ErrorCode::environment, fmt::format("its file cannot be written: {}", written.error()));
  ::unlink(recording::log_path(folder, rank).c_str());
  ::unlink(recording::sites_path(folder, rank).c_str());
  return file;
}

// Over this communicator the files come together. It is made in MPI_Init: in MPI_Finalize ranks may be dead.
MPI_Comm collecting = MPI_COMM_NULL;
std::string why_not;

void collect_files(Rank rank, const std::string& folder, const std::string& file) {
  int ranks = 1;
  PMPI_Comm_size(collecting, &ranks);
  MpiCourier courier(collecting);
  if (rank == 0) {
    FileCollector collector(
        [&](Rank from) { return recording::file_path(folder, from); },
        [](const std::string& path) { return token_of(read_regular_file(path, most_mebibytes, "the file of the rank").text); });
    collect(courier, ranks, collector);
    if (const std::string lost = collector.lost("recording"); !lost.empty()) remark(lost);
    if (!why_not.empty())
      remark("rank 0 has no recording: " + why_not);
    else
      remark(fmt::format("the recording of {} rank{} is in {}; print it by: quadrille recording {}", ranks, ranks == 1 ? "" : "s",
                         folder, folder));
    return;
  }
  const std::string token = file.empty() ? has_no_file + why_not : token_of(file);
  if (!hand_over(courier, token, [&] { return file; })) return;
  ::unlink(recording::file_path(folder, rank).c_str());
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
  std::string file;
  try {
    if (recorder) file = packed_log(folder, rank);
  } catch (const std::exception& error) {
    why_not = error.what();
  }
  try {
    collect_files(rank, folder, file);
  } catch (const std::exception& error) {
    remark(error.what());
  }
}

// From now on no call is seen.
void Recorder::finish() noexcept try {
  if (!enter()) return;
  calibrate();
  if (CommunicatorState* const world = CommunicatorState::of(MPI_COMM_WORLD))
    write(sites_.of(RecordedKind::making, "Finalize", here(*world)), 0);
  log_.header().end_ticks = began_;
} catch (const std::bad_alloc&) {  // no memory for the site
}

}  // namespace quadrille::mpi_face
