// SPDX-License-Identifier: BSD-3-Clause
// Ranks that can already talk to each other come to share memory: the first makes a segment, the others find it among the files
// that the first has open. Nothing has a name, so nothing can be left behind.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <optional>

#include "execute/agreement.hpp"
#include "execute/shared/communicator.hpp"
#include "execute/shared/segment.hpp"

namespace quadrille {
namespace {

// Collective. Throws on all ranks or on none.
std::unique_ptr<SegmentSpace> segment_of(Communicator& group) {
  struct Place {
    pid_t process;
    int descriptor;
  };
  std::optional<Descriptor> file;  // the first rank's stays open until the others have opened it
  const Place first = gathered_or_thrown(group, [&] {
    if (group.rank() == 0) file = make_segment(group.size());
    return Place{::getpid(), file ? file->number() : -1};
  })[0];
  return made_or_thrown(group, [&] {
    if (group.rank() > 0) {
      const std::string path = fmt::format("/proc/{}/fd/{}", first.process, first.descriptor);
      file = Descriptor(::open(path.c_str(), O_RDWR | O_CLOEXEC));
      if (file->number() < 0)
        throw Error(ErrorCode::environment, "the memory of rank 0 is out of reach; this rank may be on another machine");
    }
    return SegmentSpace::open(std::move(*file), group.rank(), group.size());
  });
}

}  // namespace

Result<std::unique_ptr<SharedCommunicator>> share_memory(Communicator& group, const std::optional<CopyCosts>& costs,
                                                         Progress progress) {
  std::unique_ptr<SegmentSpace> space;
  try {
    space = segment_of(group);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::transport || error.code() == ErrorCode::peer_lost) throw;
    return cannot(error.what());
  }
  space->set_progress(std::move(progress));
  space->introduce();
  const CopyCosts known = costs ? *costs : measure_copy_costs(*space);
  return std::make_unique<SharedCommunicator>(std::move(space), "shared", known);
}

}  // namespace quadrille
