// SPDX-License-Identifier: BSD-3-Clause
// Ranks that can already talk to each other come to share memory: the first makes a segment, the others find it among the files
// that the first has open. Nothing has a name, so nothing can be left behind.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "execute/shared/communicator.hpp"
#include "execute/shared/segment.hpp"

namespace quadrille {
namespace {

// Collective: is everybody all right? If not, `reason` becomes the first complaint.
bool all_right(Communicator& group, std::string& reason) {
  std::array<char, 200> mine{};
  reason.copy(mine.data(), mine.size() - 1);
  std::vector<std::array<char, 200>> all(static_cast<std::size_t>(group.size()));
  group.all_gather(&mine, all.data(), sizeof mine);
  const auto complaint = std::find_if(all.begin(), all.end(), [](const auto& sentence) { return sentence[0] != 0; });
  if (complaint != all.end()) reason = complaint->data();
  return complaint == all.end();
}

}  // namespace

Result<std::unique_ptr<SharedCommunicator>> share_memory(Communicator& group, const std::optional<CopyCosts>& costs,
                                                         Progress progress) {
  struct Place {
    pid_t process;
    int descriptor;
  };
  std::string reason;
  std::optional<Descriptor> file;
  std::unique_ptr<SegmentSpace> space;
  try {
    if (group.rank() == 0) file = make_segment(group.size());
  } catch (const Error& error) {
    reason = error.what();
  }
  const Place mine{::getpid(), file ? file->number() : -1};
  std::vector<Place> all(static_cast<std::size_t>(group.size()));
  group.all_gather(&mine, all.data(), sizeof mine);
  if (all[0].descriptor >= 0) try {
      if (group.rank() > 0) {
        const std::string path = fmt::format("/proc/{}/fd/{}", all[0].process, all[0].descriptor);
        file = Descriptor(::open(path.c_str(), O_RDWR | O_CLOEXEC));
        if (file->number() < 0)
          throw Error(ErrorCode::environment,
                      fmt::format("rank {} cannot reach the memory of rank 0; it may be on another machine", group.rank()));
      }
      space = SegmentSpace::open(std::move(*file), group.rank(), group.size());
    } catch (const Error& error) {
      reason = error.what();
    }
  if (!all_right(group, reason)) return cannot(reason);
  space->set_progress(std::move(progress));
  space->introduce();
  const CopyCosts known = costs ? *costs : measure_copy_costs(*space);
  return std::make_unique<SharedCommunicator>(std::move(space), "shared", known);
}

}  // namespace quadrille
