// SPDX-License-Identifier: BSD-3-Clause
// The gallery of the viewer: a course of lessons, and a page for each algorithm of the table.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quadrille::command {

struct GalleryFile {
  std::string name, content;
};

// The course alone has a task for each lesson, the page on which readers write schedules, and handouts.
enum class GalleryKind : std::uint8_t { all_algorithms, course };

// All files of the gallery: index.html, the pages, and viewer.js and viewer.css, which they share. Throws Error{environment} if a
// course is asked for and the verifier for browsers has not been built.
std::vector<GalleryFile> gallery(GalleryKind kind);

// Returns true if this is the index.html of a gallery, also of an older one.
bool is_gallery_index(std::string_view html);

}  // namespace quadrille::command
