// SPDX-License-Identifier: BSD-3-Clause
// What a process leaves of its recording when it is killed: its file as it was between two stores to the mapped memory, or between
// two system calls. All stores before that point are in the file, and none after it. And what another process reads while the rank
// goes on: each page as it was at a later time than the page before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "foundation/system/files.hpp"
#include "seeds/fibres.hpp"
#include "seeds/written.hpp"

namespace quadrille::seeds {

struct Fate {
  enum class What : std::uint8_t { intact, killed, read_meanwhile };
  What what = What::intact;
  std::string remains;      // the file in which they are kept; empty: in none
  std::size_t step = 0;     // in which the rank is killed, or before which the reader begins
  std::uint64_t store = 0;  // before this one of the step, or at the step's end
  // The steps that were done when the header was read, and when the last unit was read. `is_within`: and a part of the next one.
  std::size_t header_done = 0, units_done = 0;
  bool is_within = false;
};

// Keeps the remains for each fate while the file is written.
class Remains final : public Watch {
 public:
  Remains(std::string file, std::vector<Fate>& fates, Chance& chance);
  ~Remains() override;
  Remains(const Remains&) = delete;
  Remains& operator=(const Remains&) = delete;

  void begin(std::size_t step) override;
  void note_cut(std::size_t step) override { cut_ = step; }
  void end(bool is_made);  // false: the file could not be made

  std::size_t cut() const { return cut_; }  // the step that found no space; a great number: none

 private:
  struct Reader {
    Fate* fate;
    Descriptor file;
    std::string text;
    std::uint64_t pause;  // it reads on before one step in so many
  };

  static void before_store();
  Reader reader(Fate& fate) const;
  void keep(Fate& fate, bool is_within) const;
  void finish(Reader& reader) const;

  static Remains* current_;

  const std::string file_;
  Chance& chance_;
  std::vector<Fate*> waiting_;
  std::vector<Reader> readers_;
  std::size_t step_ = 0, cut_ = ~std::size_t{0};
  std::uint64_t stores_ = 0;  // in this step
};

}  // namespace quadrille::seeds
