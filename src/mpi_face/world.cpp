// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/world.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>

#include "foundation/system/file_replacement.hpp"
#include "mpi_face/mpi_courier.hpp"
#include "mpi_face/mpi_facts.hpp"
#include "mpi_face/report/collection.hpp"
#include "mpi_face/report/record_read.hpp"
#include "mpi_face/report/report_words.hpp"
#include "mpi_face/settings.hpp"
#include "quadrille/error.hpp"

namespace quadrille::mpi_face {
namespace {

// The token of a rank without counters begins with this; the reason follows.
constexpr char is_not_counted = '!';

// Distinguishes a rank's record from those of other runs and machines.
std::string token_of(const RecordHeader& header) {
  return fmt::format("{} {} {}", header.host, header.process, header.start_unix_ns);
}

// Needs the counters of those ranks whose files are not in rank 0's folder, and puts them there.
class FolderCollector final : public Collector {
 public:
  explicit FolderCollector(const std::string& folder) : folder_(folder) {}

  bool needs(Rank rank, const std::string& token) override {
    if (token.starts_with(is_not_counted)) lost(rank, token.substr(1));
    if (folder_.empty() || token.starts_with(is_not_counted)) return false;
    try {
      return token_of(read_record(record_path(folder_, rank)).header) != token;
    } catch (const Error&) {
      return true;
    }
  }

  bool take(Rank rank, std::string counters) override {
    const Result<> written = replace_file(record_path(folder_, rank), counters);
    if (!written) lost(rank, written.error());
    return written.has_value();
  }

  // Says which ranks are not in the report, with the first one's reason.
  void remark_on_lost() const {
    if (!lost_.empty())
      remark(fmt::format("no counters of rank{} {}: {}", lost_.size() == 1 ? "" : "s", ranks_words(lost_, 8), why_));
  }

 private:
  void lost(Rank rank, const std::string& why) {
    if (lost_.empty()) why_ = why;
    lost_.push_back(rank);
  }

  const std::string& folder_;  // empty: rank 0 has none
  std::vector<Rank> lost_;
  std::string why_;
};

}  // namespace

World& World::get() {
  static auto* const world = new World;  // never destroyed, because MPI may be finalised late
  return *world;
}

World::World() : is_wished_(Settings::get().report && !Settings::get().is_off) {
  if (!is_wished_) return;
  run_ = number_of_run();
  wish_ = *Settings::get().report;
}

bool World::has_name() const { return communicator_ != MPI_COMM_NULL || !is_spawned(); }

void World::begin() {
  int rank = 0;
  if (!is_wished_ || communicator_ != MPI_COMM_NULL) return;
  if (PMPI_Comm_dup(MPI_COMM_WORLD, &communicator_) != MPI_SUCCESS) return;
  PMPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN);
  PMPI_Comm_rank(communicator_, &rank);
  if (is_spawned()) name_spawned(rank);
}

void World::agree(bool counts) {
  if (communicator_ == MPI_COMM_NULL) return;
  int mine = counts, all = 0;
  counts_everywhere_ = PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, communicator_) == MPI_SUCCESS && all != 0;
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
  if (communicator_ == MPI_COMM_NULL) {
    if (record) report_if_last(folder, wish_);
    return;
  }
  int rank = 0, ranks = 1;
  PMPI_Comm_rank(communicator_, &rank);
  PMPI_Comm_size(communicator_, &ranks);
  MpiCourier courier(communicator_);
  if (rank == 0) {
    FolderCollector collector(folder);
    collect(courier, ranks, collector);
    if (!record) return;
    collector.remark_on_lost();
    report_collected(folder, wish_, run_);
  } else {
    const std::string token = record ? token_of(record->header()) : is_not_counted + why_not_;
    if (hand_over(courier, token, [&] { return record->packed(); }) && wish_.file.empty()) remove_record(folder, rank);
  }
}

}  // namespace quadrille::mpi_face
