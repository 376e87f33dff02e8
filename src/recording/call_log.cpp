// SPDX-License-Identifier: BSD-3-Clause
#include "recording/call_log.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "foundation/hash.hpp"
#include "foundation/planted.hpp"
#include "recording/rank_file.hpp"

namespace quadrille::recording {
namespace {

constexpr std::uint64_t part_bytes = 1 << 18;
constexpr RankFileWords words{"the recording", "is not part of a recording; choose another folder", "choose another folder"};

}  // namespace

std::uint64_t checksum_of(std::string_view file) { return std::max<std::uint64_t>(words_hash(file), 1); }

std::string recording_path(const std::string& folder, Rank rank) { return fmt::format("{}/rank-{}.recording", folder, rank); }

CallLog::CallLog(const std::string& folder, const RankFacts& facts, std::span<const std::string_view> functions,
                 std::uint64_t start_ticks) {
  QUADRILLE_ASSERT(functions.size() <= most_functions);
  const std::string path = recording_path(folder, facts.rank);
  file_ = new_rank_file(words, path, any_call_log_magic);
  if (reserve(file_, 0, CallLogHeader::bytes)) header_ = static_cast<CallLogHeader*>(mapped(file_, 0, CallLogHeader::bytes));
  if (!header_) fail_to_make(words, path, "there is no space for it");
  std::memcpy(header_->magic, call_log_magic, sizeof call_log_magic);
  header_->byte_order = call_log_byte_order;
  header_->start_ticks = start_ticks;
  ByteWriter of_facts, of_functions, of_settings;
  write(of_facts, facts);
  define(facts_letter, of_facts.bytes());
  of_functions.number(functions.size());
  for (const std::string_view name : functions) of_functions.text(name);
  define(functions_letter, of_functions.bytes());
  of_settings.number(facts.settings.size());
  for (const std::string& setting : facts.settings) of_settings.text(setting);
  if (!facts.settings.empty()) define(settings_letter, of_settings.bytes());
  if (header_->is_cut) fail_to_make(words, path, "there is no space for it");
}

CallLog::~CallLog() {
  if (part_) ::munmap(part_, part_bytes);
  if (header_) ::munmap(header_, CallLogHeader::bytes);
}

void CallLog::define(char letter, std::string_view bytes) noexcept {
  const std::size_t units = 2 + units_for(bytes.size());
  if (is_planted("definition ended early") && next_ + units < end_) next_[units] = unit_of(tag::defined, 0);
  put_definition(letter, bytes, [this](Unit unit) { put(unit); });
}

void CallLog::define(const RecordedCommunicator& communicator) {
  ByteWriter to;
  write(to, communicator);
  define(communicator_letter, to.bytes());
}

void CallLog::define(const RecordedSite& site) {
  ByteWriter to;
  write(to, site);
  coder_.add_site();
  define(site_letter, to.bytes());
}

void CallLog::rename(std::size_t communicator, std::string_view name) {
  ByteWriter to;
  to.number(communicator);
  to.text(name);
  define(name_letter, to.bytes());
}

void CallLog::mark_sampled(std::size_t site) {
  ByteWriter to;
  to.number(site);
  define(sampled_letter, to.bytes());
}

// Ends the recording, because later entries make no sense without those that cannot be written.
void CallLog::cut() noexcept {
  header_->is_cut = 1;
  next_ = end_ = nullptr;
}

bool CallLog::extend() noexcept {
  if (header_->is_cut) return false;
  if (part_) ::munmap(part_, part_bytes);
  part_ = reserve(file_, size_, part_bytes) ? static_cast<Unit*>(mapped(file_, size_, part_bytes, MAP_POPULATE)) : nullptr;
  if (!part_) return cut(), false;
  size_ += part_bytes;
  next_ = part_ + (is_planted("unit between parts lost") && size_ > CallLogHeader::bytes + part_bytes);
  end_ = part_ + part_bytes / sizeof(Unit);
  return true;
}

void CallLog::close() noexcept {
  size_ -= static_cast<std::uint64_t>(end_ - next_) * sizeof(Unit);
  QUADRILLE_ASSERT(size_ >= CallLogHeader::bytes && size_ % sizeof(Unit) == 0);
  if (part_) ::munmap(part_, part_bytes);
  part_ = next_ = end_ = nullptr;
  if (is_planted("checksum set early")) header_->checksum = 1;
  if (::ftruncate(file_.number(), static_cast<off_t>(size_)) != 0) return;
  void* const whole = mapped(file_, 0, size_);
  if (!whole) return;
  if (is_planted("checksum set early")) header_->checksum = 0;
  header_->checksum = checksum_of({static_cast<const char*>(whole), size_});
  ::munmap(whole, size_);
}

}  // namespace quadrille::recording
