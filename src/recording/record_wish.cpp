// SPDX-License-Identifier: BSD-3-Clause
#include "recording/record_wish.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "quadrille/error.hpp"

namespace quadrille::recording {

std::optional<RecordWish> parse_record_wish(const std::string& words) {
  const std::size_t colon = words.find(':');
  if (colon == std::string::npos || colon + 1 == words.size()) return std::nullopt;
  const std::string kind = words.substr(0, colon);
  if (kind != "calls" && kind != "fold") return std::nullopt;
  return RecordWish{words.substr(colon + 1), kind == "fold"};
}

void make_recording_folder(std::string folder) {
  // With "/" or "/." behind its name, the system would follow a link.
  while (folder.size() > 1 && (folder.ends_with('/') || folder.ends_with("/."))) folder.pop_back();
  const auto fail = [&](const char* reason) {
    throw Error(ErrorCode::environment, fmt::format("the folder '{}' for the recording cannot be used: {}", folder, reason));
  };
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) fail(std::strerror(errno));
  struct stat status {};
  if (::lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) fail("it is not a folder");
  if (status.st_uid != ::geteuid()) fail("it is another user's");
  if ((status.st_mode & 022) != 0) fail("others may write in it");
}

}  // namespace quadrille::recording
