// SPDX-License-Identifier: BSD-3-Clause
#include "on_demand/projection_page.hpp"

#include <fmt/format.h>

#include "draw/viewer_page.hpp"
#include "on_demand/piece_words.hpp"
#include "quadrille/indexed.hpp"
#include "support/json.hpp"
#include "support/refuse.hpp"

namespace quadrille::command {

std::size_t ProjectionPage::Texts::operator()(const std::string& text) {
  const auto [known, is_new] = numbers_.try_emplace(text, all_.size());
  if (is_new) all_.push_back(text);
  return known->second;
}

ProjectionPage::ProjectionPage(const Recording& recording) : recording_(recording) {
  if (recording.world_size > most_viewed_ranks)
    refuse(fmt::format("a page shows at most {} ranks, not {}; name a file for Perfetto, such as run.perfetto", most_viewed_ranks,
                       recording.world_size));
  for (auto& side : pieces_) side.resize(recording.ranks.size());
}

void ProjectionPage::add(const ProjectedPiece& piece) {
  const std::int64_t begin = nanoseconds(piece.begin_s), end = nanoseconds(piece.end_s);
  if (begin == end) return;
  std::string detail;
  if (piece.last_rank >= 0) {
    const std::string& communicator = recording_.communicators[piece.site->communicator].name;
    detail = fmt::format("{}{}{}", piece.algorithm, piece.algorithm.empty() || communicator.empty() ? "" : ", ", communicator);
    if (piece.part == ProjectedPart::waiting) detail = title_of(piece.site) + (detail.empty() ? "" : ", ") + detail;
  }
  pieces_[static_cast<std::size_t>(piece.side)][index(piece.rank)].push_back(
      {begin, end, static_cast<std::size_t>(piece.part), names_(title_of(piece)), details_(detail), piece.last_rank});
}

std::string ProjectionPage::html(const Words& words) const {
  Json document{{"format", "quadrille-timeline/1"}, {"title", words.title}, {"sentence", words.sentence}, {"text", words.text}};
  document["ranks"] = recording_.world_size;
  document["names"] = names_.all(), document["details"] = details_.all();
  document["sides"] = Json::array();
  for (std::size_t side = 0; side < pieces_.size(); ++side) {
    std::vector<std::int64_t> ranks, parts, names, details, last_ranks, begins, ends;
    for (std::size_t rank = 0; rank < pieces_[side].size(); ++rank)
      for (const Piece& piece : pieces_[side][rank]) {
        ranks.push_back(static_cast<std::int64_t>(rank));
        parts.push_back(static_cast<std::int64_t>(piece.part));
        names.push_back(static_cast<std::int64_t>(piece.name));
        details.push_back(static_cast<std::int64_t>(piece.detail));
        last_ranks.push_back(piece.last_rank);
        begins.push_back(piece.begin_ns);
        ends.push_back(piece.end_ns);
      }
    document["sides"].push_back({{"title", words.sides[side]},
                                 {"rank", ranks},
                                 {"part", parts},
                                 {"name", names},
                                 {"detail", details},
                                 {"last_rank", last_ranks},
                                 {"begin_ns", begins},
                                 {"end_ns", ends}});
  }
  ViewerPage page{.title = words.title};
  page.documents.push_back(document.dump());
  return html_of(page);
}

}  // namespace quadrille::command
