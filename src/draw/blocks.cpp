// SPDX-License-Identifier: BSD-3-Clause
// Draws what the memory of each rank holds after each round, taken from the verifier's replay.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "draw/faults.hpp"
#include "draw/picture.hpp"
#include "draw/svg.hpp"
#include "foundation/arithmetic.hpp"
#include "quadrille/draw.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "schedule/symmetry.hpp"
#include "verify/replay.hpp"

namespace quadrille {
namespace {

constexpr Count most_ranks_of_blocks = 64, most_cells = 20'000;
constexpr double cell_height = 17, usual_page = 1200, heading_height = 36, between_panels = 26, between_buffers = 8;
constexpr double band_border = 2, between_nodes = 2 * band_border + between_bands, node_line = 14;
constexpr std::size_t longest_label = 7;

// Adjacent bytes of a buffer that hold a part of one block.
struct BufferCell {
  Bytes offset = 0, length = 0;
  bool defined = false, fresh = false;
  Count colour = 0, colours = 1;  // member_colour
  bool is_amount = false;
  std::string label, explanation;
};

// What determines the colour of a block. It is the rank that gets the block, if some rank sends blocks to several ranks.
// Otherwise it is the rank from which the block comes. If all ranks have the same vector or only one rank has data, it is the
// block's position in the vector.
enum class ColourBy : std::uint8_t { target, origin, place };

// The input of a rank as blocks: where each block begins, and which rank gets it.
struct OriginBlocks {
  std::set<Bytes> cuts;
  std::map<Bytes, Rank> targets;  // by where the block begins; absent if several ranks get it
};

class BlockNames {
 public:
  explicit BlockNames(const Problem& problem) : problem_(problem), origins_(problem.ranks) {
    std::map<std::pair<Rank, Bytes>, std::set<Rank>> takers;
    for (Rank rank = 0; rank < problem.ranks; ++rank)
      for (const ExpectedPiece& piece : expected_output(problem, rank))
        for (Rank origin = piece.first; piece.length > 0 && origin <= piece.last; ++origin) {
          takers[{origin, piece.input_offset}].insert(rank);
          for (const Bytes cut : {piece.input_offset, piece.input_offset + piece.length}) origins_[origin].cuts.insert(cut);
        }
    std::set<Rank> givers;
    bool several = false;
    for (const auto& [block, ranks] : takers) {
      givers.insert(block.first);
      if (ranks.size() == 1) origins_[block.first].targets[block.second] = *ranks.begin();
    }
    for (const OriginBlocks& origin : origins_)
      for (const auto& [begin, target] : origin.targets) several = several || target != origin.targets.begin()->second;
    several_givers_ = givers.size() > 1;
    by_ = several || (problem.ranks == 1 && !is_reduction(problem.collective)) ? ColourBy::target
          : several_givers_ && !is_reduction(problem.collective)               ? ColourBy::origin
                                                                               : ColourBy::place;
  }

  // If colours stand for positions, cuts blocks wherever a part of memory begins or ends.
  void learn(const SymbolRun& run) {
    if (by_ != ColourBy::place || run.term == Terms::undefined) return;
    for (OriginBlocks& origin : origins_) {
      origin.cuts.insert(run.index);
      origin.cuts.insert(run.index + run.length);
    }
  }

  std::vector<SymbolRun> cut(const SymbolRun& run, const Terms& terms) const {
    if (run.term == Terms::undefined) return {run};
    std::vector<SymbolRun> parts;
    const auto& cuts = blocks_of(run, terms).cuts;
    for (Bytes begin = run.index, end = run.index + run.length; begin < end;) {
      const auto next = cuts.upper_bound(begin);
      const Bytes stop = next == cuts.end() ? end : std::min(end, *next);
      parts.push_back({stop - begin, run.term, begin});
      begin = stop;
    }
    return parts;
  }

  BufferCell cell(Bytes offset, const SymbolRun& part, const Terms& terms) const {
    BufferCell cell{offset, part.length};
    if (part.term == Terms::undefined) return cell;
    cell.defined = true;
    const OriginBlocks& blocks = blocks_of(part, terms);
    const auto begin = std::prev(blocks.cuts.upper_bound(part.index));
    const auto target = blocks.targets.find(*begin);
    const Rank origin = terms.sequence(terms.form(part.term)).front().first;
    const std::string operands = terms.to_string(terms.form(part.term)).substr(std::string_view("rank ").size());
    const auto place = static_cast<Count>(std::distance(blocks.cuts.begin(), begin));
    cell.colours = by_ == ColourBy::place ? std::max<Count>(1, static_cast<Count>(blocks.cuts.size()) - 1) : problem_.ranks;
    cell.colour = by_ == ColourBy::place                                      ? place
                  : by_ == ColourBy::target && target != blocks.targets.end() ? target->second
                                                                              : origin;
    if (by_operands()) cell.colour = operand_count(part, terms) - 1, cell.colours = problem_.ranks, cell.is_amount = true;
    cell.colour = std::clamp<Count>(cell.colour, 0, cell.colours - 1);  // a wrong schedule may combine an operand twice
    const std::string who =
        operands.size() <= longest_label ? operands : fmt::format("{} of {}", operand_count(part, terms), problem_.ranks);
    const std::string to = target == blocks.targets.end() ? "" : fmt::format("{}", target->second);
    if (by_ == ColourBy::place)
      cell.label = several_givers_ ? who : fmt::format("{}", place);
    else if (by_ == ColourBy::origin || is_reduction(problem_.collective))
      cell.label = who;
    else
      cell.label = several_givers_ ? fmt::format("{},{}", who, to) : to;
    cell.explanation =
        fmt::format("from {}{}, bytes {} to {}", operands, to.empty() ? "" : " to " + to, part.index, part.index + part.length - 1);
    return cell;
  }

  // Returns the explanation below the headline.
  std::string legend() const {
    const bool reduction = is_reduction(problem_.collective);
    switch (by_) {
      case ColourBy::target:
        return reduction         ? "labels: ranks combined; colours: the rank that gets them"
               : several_givers_ ? "labels: from,to; colours: to"
                                 : "labels and colours: to";
      case ColourBy::origin: return "labels and colours: from";
      case ColourBy::place:
        if (by_operands()) return "labels and colours: ranks combined";
        return several_givers_ ? "labels: ranks combined; colours: parts of the vector" : "labels and colours: parts of the vector";
    }
    return "";
  }

 private:
  // Returns true if the colours show only which ranks are combined. This is so for vectors that are never divided.
  bool by_operands() const { return by_ == ColourBy::place && several_givers_ && origins_.front().cuts.size() == 2; }

  const OriginBlocks& blocks_of(const SymbolRun& run, const Terms& terms) const {
    return origins_[terms.sequence(terms.form(run.term)).front().first];
  }

  static Count operand_count(const SymbolRun& run, const Terms& terms) {
    Count count = 0;
    for (const auto& [first, last] : terms.sequence(terms.form(run.term))) count += last - first + 1;
    return count;
  }

  const Problem& problem_;
  ByRank<OriginBlocks> origins_;
  ColourBy by_ = ColourBy::target;
  bool several_givers_ = false;
};

// The memory of all ranks at one time, by rank and buffer.
struct Moment {
  std::optional<Count> round;
  std::vector<std::array<Strip, 3>> strips;
};

struct BlockPanel {
  std::optional<Count> round;
  std::string heading, time;
  std::array<std::vector<std::vector<BufferCell>>, 3> cells;  // by buffer and rank
};

class BlockPicture {
 public:
  BlockPicture(const Schedule& schedule, const DrawOptions& options)
      : schedule_(schedule),
        programs_(programs_of(schedule, most_ranks_of_blocks)),
        faults_(schedule, programs_, options.findings),
        names_(schedule.problem),
        bands_(node_bands(schedule.problem)),
        row_width_(options.row_width),
        svg_(faults_.marked(headline(schedule, options, unit_for(schedule.problem, {})))) {
    check(schedule.problem);
    panels_of(observed());
    svg_.text({picture_margin, 40}, names_.legend(), Anchor::start, "faint");
    right_ = picture_margin + text_width(names_.legend());
    measure();
  }

  std::string written() {
    double x = picture_margin, y = headline_height + 22, height = 0, widest = 0;
    for (const BlockPanel& panel : panels_) widest = std::max(widest, width_of(panel));
    const double page = row_width_.value_or(std::max(usual_page, 3 * (widest + between_panels)));
    for (const BlockPanel& panel : panels_) {
      const double width = width_of(panel);
      if (x > picture_margin && x + width > page) {
        x = picture_margin;
        y += height + 18;
        height = 0;
      }
      height = std::max(height, draw(panel, x, y));
      right_ = std::max(right_, x + width);
      x += width + between_panels;
    }
    Point reach{right_, y + height + (faults_.any() ? 0 : picture_margin)};
    if (schedule_.says) reach = draw_notes(svg_, reach, said_notes(schedule_, messages_of(programs_, schedule_.problem)));
    reach = faults_.draw_legend(svg_, reach,
                                "A cross above a rank marks a finding of this round; the cross in the circle is the first "
                                "finding. A dashed frame with a diagonal marks bytes that are missing at the end, a frame "
                                "with cut corners foreign bytes.");
    return with_headline(svg_, reach);
  }

 private:
  std::vector<Moment> observed() {
    std::vector<Moment> moments;
    FindingList ignored = FindingList::that_keeps_nothing();
    Count pieces = 0;
    const auto remember = [&](std::optional<Count> round, const std::vector<SymbolicMemory>& memories, const Terms& terms) {
      const bool at_first = moments.empty();
      Moment moment{round, {}};
      for (std::size_t rank = 0; rank < memories.size(); ++rank) {
        const auto sizes = buffer_sizes(schedule_, programs_[rank]);
        std::array<Strip, 3> strips;
        for (std::size_t buffer = at_first ? 0 : 1; buffer < (at_first ? 1 : 3); ++buffer) {
          memories[rank][buffer].read(0, sizes[buffer], strips[buffer]);
          std::erase_if(strips[buffer], [](const SymbolRun& run) { return run.length == 0; });
          for (const SymbolRun& run : strips[buffer]) names_.learn(run);
          check_parts(pieces += size(strips[buffer]), most_cells, "pieces of memory");
        }
        moment.strips.push_back(std::move(strips));
      }
      moments.push_back(std::move(moment));
      terms_ = terms;
    };
    const auto at_end = [&](std::optional<Count> round, const std::vector<SymbolicMemory>& memories, const Terms& terms) {
      if (faults_.any() && moments.size() == 1)
        remember(round, memories, terms);  // no rank has a round, so the replay showed only the start
    };
    replay(schedule_, no_symmetry(schedule_.problem.ranks), programs_, {}, ignored, remember, at_end);
    return moments;
  }

  void panels_of(const std::vector<Moment>& moments) {
    Count cells = 0;
    for (const Moment& moment : moments) {
      BlockPanel panel{moment.round, panels_.empty() ? "at first" : "at the end", "", {}};
      if (moment.round) {
        panel.heading = stage_text(stage_name(programs_.front().stages, *moment.round));
        panel.time = fmt::format("round {}", *moment.round);
      }
      for (std::size_t buffer = 0; buffer < 3; ++buffer)
        for (std::size_t rank = 0; rank < moment.strips.size(); ++rank) {
          panel.cells[buffer].push_back(cells_of(moment.strips[rank][buffer], *terms_));
          std::vector<BufferCell>& column = panel.cells[buffer].back();
          check_parts(cells += size(column), most_cells, "pieces of memory");
          if (panels_.size() > 0) mark_fresh(column, panels_.back().cells[buffer][rank]);
        }
      const bool is_last = &moment == &moments.back();
      if (panels_.empty() || is_fresh(panel) || has_fault(panel) || (faults_.any() && is_last)) panels_.push_back(std::move(panel));
    }
  }

  std::vector<BufferCell> cells_of(const Strip& strip, const Terms& terms) const {
    std::vector<BufferCell> cells;
    Bytes offset = 0;
    for (const SymbolRun& run : strip)
      for (const SymbolRun& part : names_.cut(run, terms)) {
        cells.push_back(names_.cell(offset, part, terms));
        offset += part.length;
      }
    return cells;
  }

  static void mark_fresh(std::vector<BufferCell>& cells, const std::vector<BufferCell>& before) {
    for (BufferCell& cell : cells)
      cell.fresh = cell.defined && std::none_of(before.begin(), before.end(), [&](const BufferCell& old) {
                     return old.offset == cell.offset && old.length == cell.length && old.explanation == cell.explanation;
                   });
  }

  static bool is_fresh(const BlockPanel& panel) {
    for (const auto& columns : panel.cells)
      for (const auto& column : columns)
        if (std::any_of(column.begin(), column.end(), [](const BufferCell& cell) { return cell.fresh; })) return true;
    return false;
  }

  bool has_fault(const BlockPanel& panel) const {
    return std::any_of(faults_.places().begin(), faults_.places().end(),
                       [&](const FaultPlace& place) { return place.time == FaultTime::in_round && panel.round == place.round; });
  }

  // Chooses one scale for all panels: a cell of the median length is as high as a line of text.
  void measure() {
    std::vector<Bytes> lengths;
    double label = text_width("00", 11);
    for (const BlockPanel& panel : panels_)
      for (const auto& columns : panel.cells) {
        Bytes longest = 0;
        for (const auto& column : columns) {
          for (const BufferCell& cell : column) {
            if (cell.defined) lengths.push_back(cell.length);
            label = std::max(label, text_width(cell.label, 11));
          }
          if (!column.empty()) longest = std::max(longest, column.back().offset + column.back().length);
        }
        const auto buffer = index(&columns - panel.cells.data());
        longest_[buffer] = std::max(longest_[buffer], longest);
      }
    cell_width_ = label + 6;
    if (lengths.empty()) throw Error(ErrorCode::misuse, "no rank holds a single byte: there are no blocks to draw");
    scale_ = cell_height / static_cast<double>(median_of(std::move(lengths)));
    const Bytes most = *std::max_element(longest_.begin(), longest_.end());
    scale_ = std::min(scale_, 4000 / static_cast<double>(std::max<Bytes>(1, most)));
  }

  double width_of(const BlockPanel& panel) const {
    const Count ranks = schedule_.problem.ranks;
    const double cells = left_of_cells() + extent(ranks, cell_width_) + gaps_before(ranks - 1);
    return std::max({cells, text_width(panel.heading), text_width(panel.time)});
  }

  // Returns the total width of the gaps between nodes that lie to the left of a rank.
  double gaps_before(Rank rank) const {
    const auto before = std::count_if(bands_.begin(), bands_.end(), [&](const NodeBand& band) { return band.last < rank; });
    return extent(before, between_nodes);
  }

  // Draws the bands behind the columns of a panel from `top` to `bottom`.
  void draw_nodes(double begin, double top, double bottom) {
    for (const NodeBand& band : bands_) {
      const Box place{begin + extent(band.first, cell_width_) + gaps_before(band.first) - band_border, top,
                      extent(band.ranks(), cell_width_) + 2 * band_border, bottom - top};
      svg_.box(place, "band", {}, fmt::format("node {}", band.node));
      svg_.text({place.x + place.width / 2, top + 11}, fmt::format("{}", band.node), Anchor::middle, "faint", 11);
    }
    if (!bands_.empty()) svg_.text({begin - 6, top + 11}, "node", Anchor::end, "faint", 11);
  }

  static double left_of_cells() { return text_width("scratch", 11) + 8; }

  // The room for crosses between the heading and the numbers of the ranks.
  double room_for_marks() const { return faults_.any() ? 22 : 0; }

  double room_for_nodes() const { return bands_.empty() ? 0 : node_line; }

  // Returns the heights of the buffers that are drawn.
  std::array<std::optional<double>, 3> heights_of(const BlockPanel& panel) const {
    std::array<std::optional<double>, 3> heights;
    for (std::size_t buffer = 0; buffer < heights.size(); ++buffer) {
      const bool shows_missing = faults_.any() && &panel == &panels_.back() && buffer == 1;
      double height = 0;
      bool any_defined = false;
      for (const std::vector<BufferCell>& cells : panel.cells[buffer])
        for (const BufferCell& cell : cells) {
          height = std::max(height, extent(cell.offset + cell.length, scale_));
          any_defined = any_defined || cell.defined;
        }
      if (any_defined || shows_missing) heights[buffer] = height;
    }
    return heights;
  }

  double draw(const BlockPanel& panel, double x, double top) {
    svg_.text({x, top + 12}, panel.heading);
    svg_.text({x, top + 27}, panel.time, Anchor::start, "faint");
    const double begin = x + left_of_cells();
    double y = top + heading_height + 14 + room_for_marks() + room_for_nodes();
    const std::array<std::optional<double>, 3> heights = heights_of(panel);
    const double y_of_numbers = y - 5;
    double bottom = y;
    for (const auto& height : heights)
      if (height) bottom += *height + between_buffers;
    draw_nodes(begin, y - 14 - room_for_nodes(), bottom - between_buffers + band_border);
    for (Rank rank = 0; rank < schedule_.problem.ranks; ++rank)
      svg_.text({begin + cell_width_ * (static_cast<double>(rank) + 0.5) + gaps_before(rank), y - 5}, fmt::format("{}", rank),
                Anchor::middle, "faint", 11);
    svg_.text({begin - 6, y - 5}, "rank", Anchor::end, "faint", 11);
    std::array<std::optional<double>, 3> tops;  // of the buffers that are drawn
    for (const std::size_t buffer : {0u, 2u, 1u}) {
      if (!heights[buffer]) continue;
      const auto& columns = panel.cells[buffer];
      const double height = *heights[buffer];
      tops[buffer] = y;
      for (const bool fresh : {false, true})  // stronger outlines are drawn last, over the others
        for (std::size_t rank = 0; rank < columns.size(); ++rank)
          for (const BufferCell& cell : columns[rank])
            if (cell.fresh == fresh)
              draw(cell, begin + extent(static_cast<Count>(rank), cell_width_) + gaps_before(static_cast<Count>(rank)), y);
      svg_.text({begin - 6, y + std::min(height / 2 + 4, 14.0)}, std::string(name(static_cast<Buffer>(buffer))), Anchor::end,
                "faint", 11);
      y += height + between_buffers;
    }
    draw_faults(panel, {begin, y_of_numbers}, tops);
    if (has_fault(panel)) mark_round(svg_, {x, top + 27}, panel.time);
    return y - top;
  }

  // `numbers` is the left end of the row of rank numbers.
  void draw_faults(const BlockPanel& panel, Point numbers, const std::array<std::optional<double>, 3>& tops) {
    const bool is_last = faults_.any() && &panel == &panels_.back(), is_first = &panel == &panels_.front();
    const auto column = [&](Rank rank) { return numbers.x + extent(rank, cell_width_) + gaps_before(rank); };
    for (Rank rank = 0; is_last && rank < schedule_.problem.ranks; ++rank)
      for (const WrongBytes& part : faults_.wrong_bytes(rank)) {
        const Box place = place_of({Buffer::output, part.offset, part.length, {}}, column(rank), tops[1].value_or(numbers.y));
        draw_wrong(place, part);
      }
    for (const FaultPlace& fault : faults_.places()) {
      const bool is_here = fault.time == FaultTime::in_round ? panel.round == fault.round
                           : fault.time == FaultTime::at_end ? is_last
                                                             : is_first;
      if (!is_here) continue;
      for (const Region& region : fault.time == FaultTime::in_round ? fault.regions : Regions{})
        if (const auto top = drawn_at(fault.rank, region, tops))
          svg_.box(place_of(region, column(fault.rank), *top), "fault", {}, fault.explanation);
      mark(svg_, fault, {column(fault.rank) + cell_width_ / 2, numbers.y - room_for_nodes() - room_for_marks() / 2 - 9});
    }
  }

  // Missing bytes are crossed by a diagonal. Foreign bytes have a label, so only the corners beside the label are cut off.
  void draw_wrong(const Box& place, const WrongBytes& part) {
    svg_.box(place, part.missing ? "fault-missing" : "fault", {}, part.explanation);
    const double right = place.x + place.width, bottom = place.y + place.height;
    if (part.missing) return svg_.line({place.x, bottom}, {right, place.y}, "fault");
    const double cut = std::min({7.0, place.width / 2, place.height / 2});
    svg_.line({place.x + cut, place.y}, {place.x, place.y + cut}, "fault");
    svg_.line({right - cut, place.y}, {right, place.y + cut}, "fault");
  }

  // Returns the top of the region's buffer if that buffer is drawn and contains the region.
  std::optional<double> drawn_at(Rank rank, const Region& region, const std::array<std::optional<double>, 3>& tops) const {
    const auto buffer = static_cast<std::size_t>(region.buffer);
    if (buffer >= tops.size() || !lies_in(buffer_sizes(schedule_, programs_[index(rank)]), region)) return std::nullopt;
    return tops[buffer];
  }

  Box place_of(const Region& region, double x, double top) const {
    const auto [first, last] = hull(region);
    return {x, top + extent(first, scale_), cell_width_, std::max(3.0, extent(last - first, scale_))};
  }

  void draw(const BufferCell& cell, double x, double top) {
    const Box place{x, top + extent(cell.offset, scale_), cell_width_, extent(cell.length, scale_)};
    if (!cell.defined) return svg_.box(place, "frame");
    svg_.box(place, cell.fresh ? "fresh" : "frame", member_colour(cell.colour, cell.colours, cell.is_amount), cell.explanation);
    if (place.height >= 12)
      svg_.text({x + cell_width_ / 2, place.y + place.height / 2 + 4}, cell.label, Anchor::middle, "on-colour", 11);
  }

  const Schedule& schedule_;
  const std::vector<Program> programs_;
  const Faults faults_;
  BlockNames names_;
  const std::vector<NodeBand> bands_;
  const std::optional<double> row_width_;
  std::optional<Terms> terms_;  // the terms at the end include all earlier ones
  std::vector<BlockPanel> panels_;
  std::array<Bytes, 3> longest_{};
  double cell_width_ = 0, scale_ = 1, right_ = 0;
  Svg svg_;
};

}  // namespace

std::string draw_blocks(const Schedule& schedule, const DrawOptions& options) { return BlockPicture(schedule, options).written(); }

}  // namespace quadrille
