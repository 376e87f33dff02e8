// SPDX-License-Identifier: BSD-3-Clause
#include "on_demand/timeline_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>

#include "foundation/text/wording.hpp"
#include "options/file_format.hpp"
#include "quadrille/vendor_choice.hpp"
#include "support/refuse.hpp"

namespace quadrille::command {
namespace {

using recording::RecordedWindow;

// Calls of all ranks together. A file for Perfetto then has about 50 MB and a page 3 MB, which both open at once.
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
