// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/world.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>

#include "foundation/hash.hpp"
#include "foundation/system/proc.hpp"
#include "mpi_face/mpi_courier.hpp"
#include "mpi_face/mpi_facts.hpp"
#include "mpi_face/report/collection.hpp"
#include "mpi_face/report/record_read.hpp"
#include "mpi_face/settings.hpp"
#include "quadrille/error.hpp"

namespace quadrille::mpi_face {
namespace {

// A text that differs between this rank's record and the records of other runs and machines.
std::string token_of(const RecordHeader& header) {
  return fmt::format("{} {} {}", header.host, header.process, header.start_unix_ns);
}

}  // namespace

World& World::get() {
  static auto* const world = new World;  // never destroyed, because MPI may be finalised late
  return *world;
}

World::World() : reports_(Settings::get().report && !Settings::get().is_off), is_watched_(Settings::get().watch.has_value()) {
  if (!is_wished()) return;
  const WatchWish* const watch = is_watched_ ? &*Settings::get().watch : nullptr;
  run_ = watch && watch->watcher != 0 && !reports_ ? watch->run : number_of_run();
  if (reports_) wish_ = *Settings::get().report;
}

bool World::has_name() const { return communicator_ != MPI_COMM_NULL || !is_spawned(); }

void World::begin() {
  int rank = 0;
  if (is_watched_ && is_spawned()) is_watched_ = false;  // nobody watches it, or would remove its counters
  if (!is_wished() || communicator_ != MPI_COMM_NULL) return;
  if (PMPI_Comm_dup(MPI_COMM_WORLD, &communicator_) != MPI_SUCCESS) return;
  PMPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN);
  PMPI_Comm_rank(communicator_, &rank);
  if (is_spawned()) name_spawned(rank);
}

void World::agree(bool counts) {
  if (communicator_ == MPI_COMM_NULL) return;
  int mine = counts, all = 0;
  // Without a report, late ranks are not measured.
  counts_everywhere_ = reports_ && PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, communicator_) == MPI_SUCCESS && all != 0;
}

void World::agree_on_checks(bool checks) {
  if (communicator_ != MPI_COMM_NULL) checks_everywhere_ = nodes_that_are_ready(communicator_, checks) != 0;
}

int World::nodes_that_are_ready(MPI_Comm ranks, bool is_ready) {
  const auto host = static_cast<std::int64_t>(text_hash(host_name()) >> 1);
  std::int64_t least[] = {host, -host, is_ready};
  if (PMPI_Allreduce(MPI_IN_PLACE, least, 3, MPI_INT64_T, MPI_MIN, ranks) != MPI_SUCCESS || least[2] == 0) return 0;
  return least[0] == -least[1] ? 1 : 2;
}

void World::tell_meeting(WatchPage& page) {
  if (communicator_ == MPI_COMM_NULL) return;
  int rank = 0;
  PMPI_Comm_rank(communicator_, &rank);
  char meeting[sizeof page.meeting] = "";
  if (rank == 0) set_words(meeting, Settings::get().watch->meeting);
  if (PMPI_Bcast(meeting, sizeof meeting, MPI_CHAR, 0, communicator_) == MPI_SUCCESS) set_words(page.meeting, words_of(meeting));
}

// Rank 0 finds a number and a file that no other world has.
void World::name_spawned(Rank rank) {
  std::uint64_t names[2] = {0, 0};
  if (rank == 0) {
    const auto now = std::chrono::system_clock::now().time_since_epoch().count();
    names[0] = (static_cast<std::uint64_t>(now) << 16) ^ static_cast<std::uint64_t>(::getpid());
    if (!wish_.file.empty()) names[1] = new_spawned_folder(wish_);
  }
  PMPI_Bcast(names, 2, MPI_UINT64_T, 0, communicator_);
  run_ = names[0];
  if (!wish_.file.empty()) wish_ = spawned_wish(wish_, names[1]);
}

void World::report(const Record* record, const std::string& folder) {
  if (!reports_) return;  // 'quadrille wrap --watch' removes the counters
  if (communicator_ == MPI_COMM_NULL) {
    if (record) report_if_last(folder, wish_);
    return;
  }
  int rank = 0, ranks = 1;
  PMPI_Comm_rank(communicator_, &rank);
  PMPI_Comm_size(communicator_, &ranks);
  MpiCourier courier(communicator_);
  if (rank == 0) {
    FileCollector collector([&](Rank from) { return folder.empty() ? folder : record_path(folder, from); },
                            [](const std::string& path) { return token_of(read_record(path).header); });
    collect(courier, ranks, collector);
    if (!record) return;
    if (const std::string lost = collector.lost("counters"); !lost.empty()) remark(lost);
    report_collected(folder, wish_, run_);
  } else {
    const std::string token = record ? token_of(record->header()) : has_no_file + why_not_;
    if (hand_over(courier, token, [&] { return record->packed(); }) && wish_.file.empty()) remove_record(folder, rank);
  }
}

}  // namespace quadrille::mpi_face
