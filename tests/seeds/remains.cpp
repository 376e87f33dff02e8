// SPDX-License-Identifier: BSD-3-Clause
#include "seeds/remains.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "seeds/memory.hpp"

namespace quadrille::seeds {
namespace {

// Reads so many pages; returns false at the end of the file.
bool read_pages(const Descriptor& file, std::string& text, std::uint64_t pages) {
  constexpr std::size_t page_bytes = 4096;
  const std::size_t before = text.size();
  text.resize(before + pages * page_bytes);
  const ssize_t count =
      file.number() < 0 ? 0 : ::pread(file.number(), text.data() + before, text.size() - before, static_cast<off_t>(before));
  text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return count > 0;
}

}  // namespace

Remains* Remains::current_ = nullptr;

Remains::Remains(std::string file, std::vector<Fate>& fates, Chance& chance) : file_(std::move(file)), chance_(chance) {
  current_ = this;
  for (Fate& each : fates) waiting_.push_back(&each);
}

Remains::~Remains() { before_each_store = nullptr; }

Remains::Reader Remains::reader(Fate& fate) const {
  fate.header_done = fate.units_done = step_;
  return {&fate, Descriptor(::open(file_.c_str(), O_RDONLY | O_CLOEXEC)), {}, 1};
}

void Remains::keep(Fate& fate, bool is_within) const {
  Reader all = reader(fate);
  fate.is_within = is_within;
  finish(all);
}

void Remains::finish(Reader& reader) const {
  reader.fate->units_done = step_;
  if (reader.fate->remains.empty()) return;
  while (read_pages(reader.file, reader.text, 64)) {}
  ::unlink(reader.fate->remains.c_str());  // of an earlier run
  if (reader.file.number() < 0) return;
  const Descriptor to(::open(reader.fate->remains.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  const std::size_t written = reader.text.find_last_not_of('\0') + 1;
  rlimit limit{};  // of the recording that is being written; a copy of an older one may be longer
  ::getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit none{limit.rlim_max, limit.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &none);
  if (::write(to.number(), reader.text.data(), written) != static_cast<ssize_t>(written) ||
      ::ftruncate(to.number(), static_cast<off_t>(reader.text.size())) != 0)
    std::abort();
  ::setrlimit(RLIMIT_FSIZE, &limit);
}

void Remains::begin(std::size_t step) {
  before_each_store = nullptr;
  step_ = step, stores_ = 0;
  std::erase_if(readers_, [&](Reader& each) {
    const bool is_over = chance_.one_in(each.pause) && !read_pages(each.file, each.text, 1 + chance_.below(20));
    if (is_over) finish(each);
    return is_over;
  });
  if (waiting_.empty()) return;
  for (Fate* const fate : std::exchange(waiting_, {})) {
    if (fate->what == Fate::What::read_meanwhile && fate->step == step) {
      readers_.push_back(reader(*fate));
      readers_.back().pause = 1 + chance_.below(chance_.one_in(2) ? 4 : 200);
      read_pages(readers_.back().file, readers_.back().text, 1 + chance_.below(3));
    } else if (fate->what == Fate::What::killed && fate->step < step) {
      keep(*fate, false);
    } else {
      waiting_.push_back(fate);
      if (fate->what == Fate::What::killed && fate->step == step) before_each_store = &Remains::before_store;
    }
  }
}

void Remains::before_store() {
  Remains& here = *current_;
  before_each_store = nullptr;  // keeping the file stores, too
  std::erase_if(here.waiting_, [&](Fate* fate) {
    const bool is_due = fate->what == Fate::What::killed && fate->step == here.step_ && fate->store == here.stores_;
    if (is_due) here.keep(*fate, true);
    return is_due;
  });
  ++here.stores_;
  before_each_store = &Remains::before_store;
}

void Remains::end(bool is_made) {
  before_each_store = nullptr;
  for (Reader& each : readers_) finish(each);
  readers_.clear();
  for (Fate* const fate : std::exchange(waiting_, {})) keep(*fate, !is_made);
}

}  // namespace quadrille::seeds
