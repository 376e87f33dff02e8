// SPDX-License-Identifier: BSD-3-Clause
// The file of counters of a rank of this node, mapped by a watcher.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "mpi_face/report/record_layout.hpp"
#include "mpi_face/report/report_folder.hpp"
#include "mpi_face/watch/seen_rank.hpp"

namespace quadrille::command {

class WatchedFile {
 public:
  // Returns nothing if it is not a complete file of counters of a watched rank.
  static std::optional<WatchedFile> open(const std::string& path);

  const std::string& path() const { return path_; }
  const mpi_face::RecordHeader& header() const { return *static_cast<const mpi_face::RecordHeader*>(memory_.get()); }
  mpi_face::WatchPage& page() const { return *page_; }
  bool has_ended() const { return page_->end != 0; }  // its watcher has seen the rank end

  // A question to the rank's own watcher. Questions have increasing numbers; the lowest bit asks for stacks.
  std::uint64_t ask(bool for_stacks);
  std::uint64_t asked() const;

  // What the rank's watcher has answered to the question `number` or a later one; nothing if it has not answered.
  std::optional<mpi_face::SeenRank> answer(std::uint64_t number) const;
  mpi_face::SeenRank seen(
      std::uint64_t number) const;  // the last answer, if the rank has ended or this is to the question; else what
  // the counters tell. Throws if they are gone
  void write_answer(std::uint64_t number, const mpi_face::SeenRank& rank) const;
  std::string answer_path() const { return mpi_face::answer_path(path_); }

 private:
  WatchedFile() = default;

  std::string path_;
  std::shared_ptr<void> memory_;  // unmapped at the end
  mpi_face::WatchPage* page_ = nullptr;
};

}  // namespace quadrille::command
