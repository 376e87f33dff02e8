// SPDX-License-Identifier: BSD-3-Clause
#include "watch/watched_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "foundation/system/files.hpp"
#include "foundation/system/ticks.hpp"
#include "mpi_face/watch/seen_record.hpp"
#include "quadrille/error.hpp"

namespace quadrille::command {

using namespace mpi_face;

std::optional<WatchedFile> WatchedFile::open(const std::string& path) try {
  const RankRecord record = read_watched_record(path);
  const Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  const std::uint64_t bytes = record.header.file_bytes;
  struct stat status {};
  if (!record.watch || file.number() < 0 || ::fstat(file.number(), &status) != 0 || status.st_uid != ::geteuid() ||
      static_cast<std::uint64_t>(status.st_size) < bytes)
    return std::nullopt;
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
  if (memory == MAP_FAILED) return std::nullopt;
  WatchedFile found;
  found.memory_ = std::shared_ptr<void>(memory, [bytes](void* whole) { ::munmap(whole, bytes); });
  found.path_ = path;
  found.page_ = reinterpret_cast<WatchPage*>(static_cast<char*>(memory) + RecordPlaces(record.header).watch);
  return found;
} catch (const Error&) {  // it is no such file, or not complete
  return std::nullopt;
}

std::uint64_t WatchedFile::asked() const { return std::atomic_ref(page_->wanted).load(std::memory_order_acquire); }

std::uint64_t WatchedFile::ask(bool for_stacks) {
  const std::uint64_t number = ((asked() >> 1) + 1) << 1 | (for_stacks ? 1 : 0);
  std::atomic_ref(page_->wanted).store(number, std::memory_order_release);
  return number;
}

std::optional<SeenRank> WatchedFile::answer(std::uint64_t number) const {
  std::ifstream file(answer_path(), std::ios::binary);
  std::uint64_t answered = 0;
  std::ostringstream bytes;
  SeenRank rank;
  if (!file.read(reinterpret_cast<char*>(&answered), sizeof answered) || answered < number) return std::nullopt;
  bytes << file.rdbuf();
  return from_bytes(bytes.view(), rank) ? std::optional(std::move(rank)) : std::nullopt;
}

SeenRank WatchedFile::seen(std::uint64_t number) const {
  std::optional<SeenRank> rank = answer(has_ended() ? 0 : number);
  if (!rank && (rank = answer(0))) {
    // On a busy machine a watcher may be late. What it saw before is as good if the rank is still in the same call.
    const CallInProgress now = call_in_progress(*page_);
    if (rank->state != SeenRank::State::in_call || !now.is_inside || now.begun != rank->begun) rank.reset();
  }
  if (!rank) {
    rank = seen_rank(read_watched_record(path_), ticks(), nullptr, nullptr);
    add_process(*rank);
  } else if (has_ended() && !header().end_unix_ns && !page_->is_finalising) {
    rank->state = SeenRank::State::died;
    rank->end = words_of_end(static_cast<int>(page_->end - 1));
  }
  return *rank;
}

// Written under another name first, so that no reader sees a part.
void WatchedFile::write_answer(std::uint64_t number, const SeenRank& rank) const {
  const std::string unfinished = answer_path() + ".new", bytes = to_bytes(rank);
  ::unlink(unfinished.c_str());
  const Descriptor file(::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file.number() < 0) return;
  const bool is_written = ::write(file.number(), &number, sizeof number) == sizeof number &&
                          ::write(file.number(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
  if (!is_written || ::rename(unfinished.c_str(), answer_path().c_str()) != 0) ::unlink(unfinished.c_str());
}

}  // namespace quadrille::command
