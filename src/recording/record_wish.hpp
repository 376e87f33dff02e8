// SPDX-License-Identifier: BSD-3-Clause
// What QUADRILLE_RECORD asks for.
#pragma once

#include <optional>
#include <string>

namespace quadrille::recording {

struct RecordWish {
  std::string folder;
  bool folds = false;
};

// Parses "calls:FOLDER" or "fold:FOLDER"; returns nothing for other texts.
std::optional<RecordWish> parse_record_wish(const std::string& words);

// The folder, made with mode 0700 if it does not exist. Throws Error{environment} if there is a file of this name that is no
// folder, or if the folder belongs to another user or may be written by others. A link is refused, also if slashes follow its
// name.
void make_recording_folder(std::string folder);

}  // namespace quadrille::recording
