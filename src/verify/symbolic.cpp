// SPDX-License-Identifier: BSD-3-Clause
#include "verify/symbolic.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "foundation/assert.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

SymbolRun from(const SymbolRun& piece, Bytes skipped, Bytes length) { return {length, piece.term, piece.index + skipped}; }

}  // namespace

Terms::Sequence Terms::merged(const Sequence& sequence) {
  Sequence result;
  for (const auto& [first, last] : sequence)
    if (!result.empty() && result.back().second + 1 == first)
      result.back().second = last;
    else
      result.emplace_back(first, last);
  return result;
}

Terms::Sequence Terms::sorted(Sequence sequence) {
  std::sort(sequence.begin(), sequence.end());
  return merged(sequence);
}

// Merges two intervals if they are the two children of one vertex of the fixed tree. Returns any other sequence unchanged. The
// number of ranks is not used: intervals merge if some fixed tree contains that vertex.
Terms::Sequence Terms::joined_by_tree(const Sequence& both) {
  if (both.size() != 2 || both[0].second + 1 != both[1].first) return both;
  const auto [first, last] = std::pair(both[0].first, both[1].second);
  const Count left = both[1].first - first;
  const bool aligned = first % (2 * left) == 0 && tree_split(first, last) == both[1].first;
  return aligned ? Sequence{{first, last}} : both;
}

void Terms::hold(Count more) {
  if ((held_ += more) > most_held_)
    throw Error(ErrorCode::too_large, "its reductions combine operands in too many different ways for a replay");
}

Terms::Term Terms::new_term(Form form) {
  hold(1);
  forms_.push_back(form);
  return ranks_ + size(forms_) - 1;
}

Terms::Form Terms::entered(Sequence sequence) {
  if (sequence.size() == 1 && sequence[0].first == sequence[0].second) return sequence[0].first;
  // A sequence with more intervals than ranks names some rank twice, so it is wrong, and every longer sequence with the same
  // beginning is wrong, too. The end is therefore cut off. Otherwise a few operations could double the sequence until memory is
  // full.
  if (static_cast<Count>(sequence.size()) > ranks_ + 1) sequence.resize(static_cast<std::size_t>(ranks_ + 1));
  const auto length = static_cast<Count>(sequence.size());
  const auto [entry, fresh] = known_.try_emplace(std::move(sequence), ranks_ + size(sequences_));
  if (fresh) {
    hold(length);
    sequences_.push_back(entry->first);
  }
  return entry->second;
}

Terms::Form Terms::form_of_ranks(Rank first, Rank last) { return entered(Sequence{{first, last}}); }

Terms::Sequence Terms::sequence(Form form) const {
  if (form < ranks_) return {{form, form}};
  QUADRILLE_ASSERT(form - ranks_ < size(sequences_));
  return sequences_[index(form - ranks_)];
}

Terms::Term Terms::term_of(Form form) {
  if (form < ranks_) return form;
  const auto [entry, fresh] = term_of_form_.try_emplace(form, undefined);
  if (fresh) entry->second = new_term(form);
  return entry->second;
}

Terms::Term Terms::moved(const Symmetry& symmetry, Rank rank, Term term) {
  if (term == undefined) return undefined;
  if (term < ranks_) return operand(symmetry.image(rank, term));
  const auto [entry, fresh] = moved_.try_emplace({rank, term}, undefined);
  if (fresh) {
    Sequence images;
    for (const auto& [first, last] : sequence(form(term)))
      for (Rank x = first; x <= last;) {
        const Count count = std::min(last - x + 1, symmetry.stretch(rank, x));
        const Rank image = symmetry.image(rank, x);
        images.emplace_back(image, image + count - 1);
        x += count;
      }
    hold(1);
    entry->second = term_of(entered(sorted(std::move(images))));
  }
  return entry->second;
}

Terms::Term Terms::combine(Term left, Term right) {
  if (left == undefined || right == undefined) return undefined;
  const auto [entry, fresh] = combined_.try_emplace({left, right}, undefined);
  if (fresh) {
    Sequence both = sequence(form(left));
    const Sequence second = sequence(form(right));
    both.insert(both.end(), second.begin(), second.end());
    switch (combining_) {
      case Combining::any_order: both = sorted(std::move(both)); break;
      case Combining::rank_order: both = merged(both); break;
      case Combining::fixed_tree: both = joined_by_tree(both); break;
    }
    const Form result = entered(std::move(both));
    entry->second = one_term_a_form_ ? term_of(result) : new_term(result);
  }
  return entry->second;
}

bool Terms::same_operands(Form a, Form b) const {
  if (a == undefined || b == undefined) return a == b;
  return sorted(sequence(a)) == sorted(sequence(b));
}

std::string Terms::to_string(Form form) const {
  if (form == undefined) return "nothing";
  std::string text;
  for (const auto& [first, last] : sequence(form))
    text += fmt::format("{}{}", text.empty() ? "" : " o ",
                        first == last ? fmt::format("{}", first) : fmt::format("{}..{}", first, last));
  return "rank " + text;
}

Bytes length_of(const Strip& strip) {
  Bytes length = 0;
  for (const SymbolRun& run : strip) length += run.length;
  return length;
}

void append(Strip& strip, const SymbolRun& run) {
  if (run.length <= 0) return;
  if (!strip.empty() && strip.back().term == run.term &&
      (run.term == Terms::undefined || strip.back().index + strip.back().length == run.index))
    strip.back().length += run.length;
  else
    strip.push_back(run);
}

void SymbolicBuffer::read(Bytes offset, Bytes length, Strip& strip) const {
  const Bytes end = offset + length;
  auto entry = pieces_.upper_bound(offset);
  if (entry != pieces_.begin()) --entry;
  for (; entry != pieces_.end() && entry->first < end; ++entry) {
    const Bytes first = std::max(offset, entry->first);
    const Bytes last = std::min(end, entry->first + entry->second.length);
    if (first >= last) continue;
    append(strip, {first - offset, Terms::undefined, 0});
    append(strip, from(entry->second, first - entry->first, last - first));
    offset = last;
  }
  append(strip, {end - offset, Terms::undefined, 0});
}

void SymbolicBuffer::write(Bytes offset, const SymbolRun& piece) {
  QUADRILLE_ASSERT(offset >= 0 && piece.length >= 0);
  const Bytes end = offset + piece.length;
  auto entry = pieces_.upper_bound(offset);
  if (entry != pieces_.begin()) --entry;
  // Blocks often replace others of the same size. Then no piece needs to be removed, added or merged.
  if (entry != pieces_.end() && entry->first == offset && entry->second.length == piece.length && piece.term != Terms::undefined) {
    entry->second = piece;
    return;
  }
  while (entry != pieces_.end() && entry->first < end) {
    const Bytes old_first = entry->first;
    const SymbolRun old = entry->second;
    const Bytes old_end = old_first + old.length;
    if (old_end <= offset) {
      ++entry;
      continue;
    }
    entry = pieces_.erase(entry);
    if (old_first < offset) pieces_.emplace_hint(entry, old_first, from(old, 0, offset - old_first));
    if (old_end > end) entry = pieces_.emplace_hint(entry, end, from(old, end - old_first, old_end - end));
  }
  if (piece.term == Terms::undefined || piece.length == 0) return;
  // Merges a piece with the preceding one if it continues that piece, so that whole buffers stay a single piece.
  const auto after = pieces_.lower_bound(offset);
  if (after != pieces_.begin()) {
    SymbolRun& before = std::prev(after)->second;
    if (std::prev(after)->first + before.length == offset && before.term == piece.term &&
        before.index + before.length == piece.index) {
      before.length += piece.length;
      return;
    }
  }
  pieces_.emplace_hint(after, offset, piece);
}

}  // namespace quadrille
