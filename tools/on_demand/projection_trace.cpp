// SPDX-License-Identifier: BSD-3-Clause
#include "on_demand/projection_trace.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "on_demand/piece_words.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille::command {

ProjectionTrace::ProjectionTrace(std::ostream& out, const Recording& recording, std::string_view vendor_title,
                                 std::string_view place)
    : packets_(out), recording_(recording) {
  const std::size_t digits = fmt::formatted_size("{}", std::max<Count>(recording.world_size, 1) - 1);  // names sort as ranks do
  for (std::size_t side = 0; side < tracks_.size(); ++side) {
    const std::uint64_t process = packets_.process(fmt::format("{}: {}", side == 0 ? vendor_title : "ours", place));
    for (const RecordedRank& rank : recording.ranks)
      tracks_[side].push_back(packets_.track(process, fmt::format("rank {:0{}}", rank.rank, digits)));
  }
}

void ProjectionTrace::add(const ProjectedPiece& piece) {
  const std::int64_t begin = nanoseconds(piece.begin_s), end = nanoseconds(piece.end_s);
  if (begin == end) return;
  const std::uint64_t track = tracks_[static_cast<std::size_t>(piece.side)][index(piece.rank)];
  std::vector<PerfettoAnnotation> annotations;
  if (piece.site && piece.last_rank >= 0) {
    const RecordedCommunicator& on = recording_.communicators[piece.site->communicator];
    annotations = {{"function", std::string_view(piece.site->function)},
                   {"block bytes", piece.site->block_bytes},
                   {"communicator", std::string_view(on.name)},
                   {"ranks", static_cast<std::int64_t>(on.members.size())},
                   {"last rank to enter", piece.last_rank}};
    if (!piece.algorithm.empty()) annotations.push_back({"algorithm", piece.algorithm});
  }
  packets_.begin(track, begin, title_of(piece), annotations);
  packets_.end(track, end);
}

}  // namespace quadrille::command
