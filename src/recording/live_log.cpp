// SPDX-License-Identifier: BSD-3-Clause
#include "recording/live_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "foundation/system/files.hpp"
#include "quadrille/error.hpp"

namespace quadrille::recording {
namespace {

constexpr std::uint64_t part_bytes = 1 << 18;

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw Error(ErrorCode::environment, fmt::format("the recording '{}' cannot be made: {}", path, reason));
}

// Removes an older file of a recording, and never another one.
void remove_older(const std::string& path, std::string_view magic) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return;
  const Descriptor file(S_ISREG(status.st_mode) ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1);
  std::string begin(magic.size(), '\0');
  const bool is_ours = file.number() >= 0 &&
                       ::read(file.number(), begin.data(), begin.size()) == static_cast<ssize_t>(begin.size()) && begin == magic;
  if (!is_ours && status.st_size > 0)
    fail(path, "a file of that name exists and is not part of a recording; choose another folder");
  if (is_being_written(file.number())) fail(path, "a run that has not ended yet writes it; choose another folder");
  if (::unlink(path.c_str()) != 0) fail(path, std::strerror(errno));
}

Descriptor new_file(const std::string& path, int flags) {
  Descriptor file(::open(path.c_str(), flags | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file.number() < 0) fail(path, std::strerror(errno));
  return file;
}

// Makes the file longer, with disk space: a store to mapped memory without it would kill the program. Exceeding the limit of a
// file's size would, too.
bool lengthen(int file, std::uint64_t from, std::uint64_t by) {
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < from + by) return false;
  return ::posix_fallocate(file, static_cast<off_t>(from), static_cast<off_t>(by)) == 0;
}

void* mapped(int file, std::uint64_t from, std::uint64_t bytes) {
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, static_cast<off_t>(from));
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

std::string log_path(const std::string& folder, Rank rank) { return fmt::format("{}/rank-{}.log", folder, rank); }
std::string sites_path(const std::string& folder, Rank rank) { return fmt::format("{}/rank-{}.sites", folder, rank); }
std::string file_path(const std::string& folder, Rank rank) { return fmt::format("{}/rank-{}.recording", folder, rank); }

LiveLog::LiveLog(const std::string& folder, const RankFacts& facts, std::span<const std::string_view> functions,
                 std::uint64_t start_ticks) {
  const std::string path = log_path(folder, facts.rank), sites = sites_path(folder, facts.rank);
  const std::string_view magic(live_magic, std::strlen(live_magic));
  remove_older(path, magic);
  remove_older(sites, magic);
  remove_older(file_path(folder, facts.rank), "quadrille-recording/");
  log_ = new_file(path, O_RDWR);
  lock_while_alive(log_.number());
  sites_ = new_file(sites, O_WRONLY | O_APPEND);
  header_ = lengthen(log_.number(), 0, LiveHeader::bytes) ? static_cast<LiveHeader*>(mapped(log_.number(), 0, LiveHeader::bytes))
                                                          : nullptr;
  if (!header_) fail(path, "there is no space for it");
  std::memcpy(header_->magic, live_magic, sizeof live_magic);
  header_->byte_order = live_byte_order;
  header_->start_ticks = start_ticks;
  if (::write(sites_.number(), magic.data(), magic.size()) != static_cast<ssize_t>(magic.size())) cut();
  ByteWriter of_facts, of_functions;
  write(of_facts, facts);
  append(facts_record, of_facts.bytes());
  of_functions.number(functions.size());
  for (const std::string_view name : functions) of_functions.text(name);
  append(functions_record, of_functions.bytes());
}

LiveLog::~LiveLog() {
  if (part_) ::munmap(part_, part_bytes);
  if (header_) ::munmap(header_, LiveHeader::bytes);
}

void LiveLog::append(char letter, const std::string& bytes) noexcept try {
  if (header_->is_cut) return;
  ByteWriter length;
  length.number(bytes.size());
  const std::string record = letter + length.bytes() + bytes;
  if (::write(sites_.number(), record.data(), record.size()) != static_cast<ssize_t>(record.size())) cut();
} catch (const std::bad_alloc&) {
  cut();
}

void LiveLog::define(const RecordedCommunicator& communicator) {
  ByteWriter to;
  write(to, communicator);
  append(communicator_record, to.bytes());
}

void LiveLog::define(const RecordedSite& site) {
  ByteWriter to;
  write(to, site);
  append(site_record, to.bytes());
}

void LiveLog::rename(std::size_t communicator, std::string_view name) {
  ByteWriter to;
  to.number(communicator);
  to.text(name);
  append(name_record, to.bytes());
}

void LiveLog::mark_sampled(std::size_t site) {
  ByteWriter to;
  to.number(site);
  append(sampled_record, to.bytes());
}

// Nothing is recorded any more: what follows would not fit to what is missing.
void LiveLog::cut() noexcept {
  header_->is_cut = 1;
  next_ = end_ = nullptr;
}

bool LiveLog::extend() noexcept {
  if (header_->is_cut) return false;
  if (part_) ::munmap(part_, part_bytes);
  part_ =
      lengthen(log_.number(), size_, part_bytes) ? static_cast<std::uint64_t*>(mapped(log_.number(), size_, part_bytes)) : nullptr;
  if (!part_) return cut(), false;
  size_ += part_bytes;
  next_ = part_;
  end_ = part_ + part_bytes / sizeof(std::uint64_t);
  return true;
}

}  // namespace quadrille::recording
