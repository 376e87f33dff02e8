// SPDX-License-Identifier: BSD-3-Clause
// A sequence of bytes of a rank's memory, stored as few values. With it the verifier compares regions with their images without
// listing all runs.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "quadrille/schedule.hpp"

namespace quadrille {

// `count` runs of `length` bytes, `stride` bytes apart.
struct EvenRuns {
  Buffer buffer = Buffer::input;
  Bytes offset = 0, length = 0;
  Count count = 1;
  Bytes stride = 0;
};

class ByteSequence {
 public:
  void clear() { list_.clear(); }
  std::size_t size() const { return list_.size(); }

  void append(EvenRuns runs) {
    if (runs.length == 0 || runs.count == 0) return;
    if (runs.count > 1 && runs.stride == runs.length) runs.length *= std::exchange(runs.count, 1);
    if (!list_.empty() && runs.count == 1) {
      EvenRuns& last = list_.back();
      if (last.count == 1 && last.buffer == runs.buffer && last.offset + last.length == runs.offset) {
        last.length += runs.length;
        return;
      }
    }
    list_.push_back(runs);
  }

  // Are these the same bytes in the same order, however they are cut into runs?
  friend bool operator==(const ByteSequence& one, const ByteSequence& other) {
    Reader a(one.list_), b(other.list_);
    while (!a.at_end() && !b.at_end()) {
      if (a->buffer != b->buffer || a.offset() != b.offset()) return false;
      if (a.left() == b.left() && a->length == b->length && a->stride == b->stride) {
        const Count runs = std::min(a.runs_left(), b.runs_left());
        a.skip_runs(runs), b.skip_runs(runs);
      } else {
        const Bytes bytes = std::min(a.left(), b.left());
        a.skip_bytes(bytes), b.skip_bytes(bytes);
      }
    }
    return a.at_end() && b.at_end();
  }

 private:
  class Reader {
   public:
    explicit Reader(const std::vector<EvenRuns>& list) : at_(list.begin()), end_(list.end()) {}
    bool at_end() const { return at_ == end_; }
    const EvenRuns* operator->() const { return &*at_; }
    Bytes offset() const { return at_->offset + run_ * at_->stride + used_; }
    Bytes left() const { return at_->length - used_; }  // of this run
    Count runs_left() const { return at_->count - run_; }
    void skip_runs(Count runs) {
      used_ = 0;
      if ((run_ += runs) == at_->count) ++at_, run_ = 0;
    }
    void skip_bytes(Bytes bytes) {
      if ((used_ += bytes) == at_->length) skip_runs(1);
    }

   private:
    std::vector<EvenRuns>::const_iterator at_, end_;
    Count run_ = 0;
    Bytes used_ = 0;
  };

  std::vector<EvenRuns> list_;
};

}  // namespace quadrille
