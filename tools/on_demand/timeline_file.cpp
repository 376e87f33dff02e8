// SPDX-License-Identifier: BSD-3-Clause
#include "on_demand/timeline_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "draw/viewer_page.hpp"
#include "foundation/text/wording.hpp"
#include "options/file_format.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/projection.hpp"
#include "quadrille/vendor_choice.hpp"
#include "support/refuse.hpp"
#include "support/text.hpp"

namespace quadrille::command {
namespace {

using recording::RecordedWindow;

// "Alltoall 64 B", "point-to-point"; without a site: "away".
std::string title_of(const RecordedSite* site) {
  if (!site) return "away";
  if (site->kind == RecordedKind::point_to_point) return std::string(name(ProjectedPart::point_to_point));
  if (site->kind == RecordedKind::others) return "other collectives";
  const bool has_blocks = site->block_bytes > 0 && site->kind != RecordedKind::making;
  return has_blocks ? fmt::format("{} {}", site->function, bytes_text(site->block_bytes)) : site->function;
}

// "computing", "waiting for late ranks", or the title of its call.
std::string title_of(const ProjectedPiece& piece) {
  const bool has_part_name = piece.part == ProjectedPart::computing || piece.part == ProjectedPart::waiting;
  return has_part_name ? std::string(name(piece.part)) : title_of(piece.site);
}

std::int64_t nanoseconds(double seconds) { return std::llround(std::min(seconds, 9e9) * 1e9); }  // the result is at most 9e18

// Limits on the calls of all ranks together. With so many calls a file for Perfetto has about 50 MB, and a page 3 MB; both open
// quickly.
constexpr Count most_traced_calls = 100'000, most_calls_of_page = 20'000;

constexpr double end_of_all = std::numeric_limits<double>::infinity();

// "2..3.5", "2..", "..3.5": seconds.
RecordedWindow parsed_window(std::string_view text) {
  const auto number = [](std::string_view word, double without) -> std::optional<double> {
    double seconds = without;
    const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), seconds);
    const bool is_time = status == std::errc{} && end == word.data() + word.size() && seconds >= 0;
    return word.empty() || is_time ? std::optional(seconds) : std::nullopt;
  };
  const std::size_t dots = std::min(text.find(".."), text.size());
  const auto from_s = number(text.substr(0, dots), 0);
  const auto to_s = number(text.substr(std::min(dots + 2, text.size())), end_of_all);
  if (dots == text.size() || !from_s || !to_s || !(*from_s < *to_s))
    refuse(fmt::format("--trace-window is two times of the recorded run in seconds, such as 2..3.5, not '{}'", text));
  return {.from_s = *from_s, .to_s = *to_s};
}

bool names_page(const std::string& file) { return file.ends_with(".html") || file.ends_with(".htm"); }

std::string checked(const std::string& file) {
  check_extension(file, names_page(file) ? FileFormat::html : FileFormat::perfetto);
  return file;
}

std::string_view vendor_title(const Recording& recording, const ProjectionOptions& projected) {
  const auto library = projected.vendor.empty() ? vendor_library_of(recording.mpi) : find_vendor_library(projected.vendor);
  return library ? library->title : "the MPI library";
}

}  // namespace

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

TimelineFile::TimelineFile(const std::string& file, const std::optional<std::string>& window)
    : file_(checked(file)),
      is_page_(names_page(file)),
      output_(file),
      window_(window ? parsed_window(*window) : RecordedWindow{.to_s = end_of_all}) {}

void TimelineFile::watch(const Recording& recording, const ProjectedSituation& situation, ProjectionOptions& projected) {
  const RecordedWindow asked = window_;
  window_ = recording::window_of(recording, asked.from_s, asked.to_s, is_page_ ? most_calls_of_page : most_traced_calls);
  if (window_.entries == 0) refuse(fmt::format("no call was recorded from {:g} s to {:g} s", asked.from_s, asked.to_s));
  projected.pieces = {.from_s = window_.from_s, .to_s = window_.to_s};
  if (is_page_) {
    page_.emplace(recording);
    projected.pieces.watch = [this](const ProjectedPiece& piece) { page_->add(piece); };
  } else {
    trace_.emplace(output_.stream(), recording, vendor_title(recording, projected), place_text(situation));
    projected.pieces.watch = [this](const ProjectedPiece& piece) { trace_->add(piece); };
  }
}

std::string TimelineFile::finish(const Projection& projection, const ProjectedSituation& situation) {
  const std::string window = fmt::format("{} of all ranks, from {:.6g} s to {:.6g} s of the recorded run",
                                         counted(window_.entries, "call"), window_.from_s, window_.to_s);
  const std::string correction = projection.corrected_calls > 0
                                     ? fmt::format(" Prices of {} of {} are corrected by residuals.", projection.corrected_calls,
                                                   counted(projection.calls, "call"))
                                     : "";
  if (page_)
    output_.finish(page_->html({.title = title_text(situation),
                                .sentence = sentence_of(projection, situation),
                                .text = fmt::format("This page has {}.{}", window, correction),
                                .sides = {projection.vendor_title, "ours"}}));
  else
    output_.finish();
  return fmt::format("{} has {}", file_, window) +
         (window_.is_cut ? fmt::format("; for the next part: --trace-window {:.6g}..", window_.to_s) : "");
}

}  // namespace quadrille::command
