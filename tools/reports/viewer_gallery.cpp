// SPDX-License-Identifier: BSD-3-Clause
#include "reports/viewer_gallery.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "draw/viewer_page.hpp"
#include "options/arguments.hpp"
#include "options/cases.hpp"
#include "options/file_format.hpp"
#include "options/option_table.hpp"
#include "options/problem_options.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/model.hpp"
#include "reports/handout.hpp"
#include "reports/thumbnail.hpp"
#include "support/text.hpp"

namespace quadrille::command {
namespace {

// The lessons with a handout, and how many ranks fit on a sheet.
constexpr struct {
  std::string_view lesson;
  const char* ranks;
} printed[] = {{"lesson-4-bruck", "8"}, {"lesson-12-allreduce", "4"}};

constexpr std::string_view index_title = "Algorithms of collective communication, to step through";

struct Lesson {
  std::string file, title;
  Collective collective;
  std::string algorithm;
  ProblemOptions problem;
  std::string text;  // what the page shows, and why this matters
};

ProblemOptions ranks(const char* count, const char* block = "8B") {
  ProblemOptions options;
  options.ranks = count;
  options.block = block;
  return options;
}

ProblemOptions network(const char* name) {
  ProblemOptions options;
  options.topology = name;
  return options;
}

// In the order of the course.
std::vector<Lesson> lessons() {
  return {
      {"lesson-1-ring", "1. Ring: everything to the neighbour", Collective::alltoall, "ring", ranks("8"),
       "Each rank only ever sends to its right neighbour. In the first round it sends all blocks that are not its own; the "
       "neighbour keeps the one for itself and passes on the rest, so the messages become shorter by a block in every round. "
       "Follow block 0>7: it travels all the way round. There are p - 1 rounds, and every block travels half the ring on "
       "average, so the volume grows with the square of p. It is the algorithm for a network that is a ring, and the one that "
       "all others improve on."},
      {"lesson-2-direct", "2. Direct: everything at once", Collective::alltoall, "direct", ranks("8"),
       "One round: every block goes straight to its target. No byte travels twice, so the volume is the least possible. But "
       "every rank starts p - 1 messages at once, and each has its start-up time. With long blocks nothing is better; with "
       "short blocks the start-ups cost more than the bytes."},
      {"lesson-3-pairwise", "3. Pairwise: one partner at a time", Collective::alltoall, "shift", ranks("8"),
       "The same messages as in the direct exchange, but in rounds: in round d every rank sends to the rank d places on. In "
       "the view of the traffic each round is one diagonal. No rank ever receives two messages at once, so no one has to "
       "queue. It costs p - 1 rounds."},
      {"lesson-4-bruck", "4. Bruck: few rounds for more volume", Collective::alltoall, "bruck:radix=2", ranks("8"),
       "Write the distance a block has to go in binary: block 2>7 has to go 5 = 101, and 7>2 has to go 3 = 011, because rank 0 "
       "follows rank 7. In round k all blocks whose distance has bit k travel 2^k places, together in one message. Follow 2>7: it "
       "moves in rounds 0 and 2 and rests in round 1. After log2(p) rounds, rounded up, all have arrived: 3 rounds instead of the "
       "7 "
       "of lesson 3. The price is volume: a block travels once for each 1 in its distance, half of all bits on average, so a rank "
       "sends 12 blocks instead of 7. For short blocks, where start-ups decide, this is the fastest way."},
      {"lesson-5-radix", "5. Bruck with radix 4: between the two", Collective::alltoall, "bruck:radix=4", ranks("16"),
       "The same idea with digits to base 4, among 16 ranks: a block travels once for each digit that is not 0. There are 3 "
       "rounds for each digit, 6 in all, where radix 2 has 4 rounds; but a block travels fewer times, and C2 is 192 B where "
       "radix 2 has 256 B. The radix chooses between few start-ups (radix 2) and little volume (radix p, where it becomes the "
       "pairwise exchange)."},
      {"lesson-6-four-stage", "6. Four stages: blocks of very different sizes", Collective::alltoallv, "four-stage",
       ranks("9", "1KiB"),
       "Here every rank has a different amount for every other. The ranks form a 3 x 3 grid. In four rounds they tell each "
       "other the counts. Then everything is dealt out evenly along rows and columns, whatever its target, and collected along "
       "rows and columns. In the view of the time the longest message of a round is about twice as long as the shortest, "
       "although the longest block is hundreds of times as long as the shortest: a rank waits a little for one that has more to "
       "send in all, and never for a single long block."},
      {"lesson-7-mesh", "7. Rows, then columns", Collective::alltoall, "mesh", network("mesh:4x4"),
       "The ranks form a 4 x 4 grid. First each row exchanges: a block goes to the column of its target. Then each column "
       "exchanges: the block goes to its row. In both, every rank passes on to the next one what is not for it, as on a ring. "
       "Two exchanges among 4 ranks take the place of one among 16: 2 * 3 start-ups instead of 15, and a block travels up to 6 "
       "times. The view of the network shows that no message ever leaves its row or column."},
      {"lesson-8-torus", "8. Torus: all links busy, none shared", Collective::alltoall, "torus", network("torus:4x4"),
       "On a torus every rank has four links. Each block takes a shortest way, and in each round no two messages share a link,"
       " and in the first rounds all four links of every rank are in use. Select a rank to see how its messages leave in all "
       "four directions at once."},
      {"lesson-9-nodes", "9. Nodes: one message for each pair of nodes", Collective::alltoall, "combined", network("cluster:4x4"),
       "Four nodes of four ranks. Inside a node data is passed through shared memory, which is cheap; between nodes every "
       "message has its start-up. So first the ranks of a node gather what goes to one other node at one of them, then one "
       "long message goes to that node, where it is scattered. The gaps in the view of the memory separate the nodes. Between "
       "nodes there are 3 rounds instead of 12."},
      {"lesson-10-broadcast", "10. Broadcast along a binomial tree", Collective::broadcast, "binomial", ranks("8"),
       "Rank 0 has a vector that all shall get. In every round each rank that has it passes it on, so the number of ranks that"
       " have it doubles: 1, 2, 4, 8. No algorithm needs fewer rounds. In the view of the time one sees the ranks that wait "
       "for their turn."},
      {"lesson-11-allgather", "11. Allgather by doubling", Collective::allgather, "circulant", ranks("8"),
       "Every rank has one block, and all shall have all. In each round a rank sends everything that it has, so what it has "
       "doubles. There are log2(p) rounds, and every rank receives each block exactly once: both bounds are reached at the "
       "same time."},
      {"lesson-12-allreduce", "12. Allreduce: combine on the way round", Collective::allreduce, "ring", ranks("8", "64B"),
       "Every rank has a vector, and all shall have the sum. The vector is cut into p shares. In the first half each share "
       "goes once around the ring and is combined with every rank's own; the colour shows how many operands it has. In the "
       "second half the finished shares go around once more. Every rank sends 2 (p - 1) / p vectors, the least possible: "
       "the way to sum long vectors."},
  };
}

// "It takes C1 = 3 rounds with a message (lower bound: 3), and ..." Barriers have no data.
std::string figures_text(const Schedule& schedule) {
  const Figures counted = figures(schedule);
  const std::vector<Bound> bounds = lower_bounds(schedule.problem, counted.ports, counted.c1);
  const auto least = [&](std::string_view figure, std::string_view condition, const auto& text) {
    std::optional<Count> best;
    for (const Bound& bound : bounds)
      if (bound.figure == figure) best = std::max(best.value_or(0), bound.value);
    return best ? fmt::format(" (lower bound{}: {})", condition, text(*best)) : std::string();
  };
  const std::string rounds = least("c1", "", [](Count count) { return fmt::format("{}", count); });
  const std::string taken =
      fmt::format("It takes C1 = {} round{} with a message{}", counted.c1, counted.c1 == 1 ? "" : "s", rounds);
  if (!moves_data(schedule.problem.collective)) return taken + ".";
  return fmt::format("{}, and the longest messages of the rounds add up to C2 = {}{}.", taken, bytes_text(counted.c2),
                     least("c2", " for so many rounds", [](Bytes bytes) { return bytes_text(bytes); }));
}

// "store and forward": "Store and forward."
std::string sentence_of(std::string_view words) {
  std::string sentence(words);
  if (sentence.front() >= 'a' && sentence.front() <= 'z') sentence.front() = static_cast<char>(sentence.front() - 'a' + 'A');
  return sentence + '.';
}

// The problem that the record states, or the usual one.
ProblemOptions problem_of(const Algorithm& algorithm) {
  if (auto stated = pictured_problem(algorithm)) return *stated;
  ProblemOptions options;
  options.ranks = "8";
  if (options.depends_on_block(algorithm.collective)) options.block = "64B";
  options.grid = "2x4";
  options.node_sizes = "2x4";
  return options;
}

std::vector<Lesson> pages_of(Collective collective) {
  std::vector<Lesson> pages;
  for (const Algorithm* algorithm : algorithms_for(collective)) {
    const std::string id(algorithm->id);
    std::string file = fmt::format("{}-{}", name(collective), id);
    std::replace(file.begin(), file.end(), '_', '-');
    pages.push_back({file, fmt::format("{}, {}", name(collective), id), collective, id, problem_of(*algorithm),
                     fmt::format("{} {}", sentence_of(algorithm->summary), algorithm->picture)});
  }
  return pages;
}

std::string first_sentence(const std::string& text) {
  const std::size_t end = text.find(". ");
  return end == std::string::npos ? text : text.substr(0, end + 1);
}

Json link(std::string_view text, const std::string& file) { return {{"text", text}, {"file", file + ".html"}}; }

struct Section {
  std::string title;
  std::vector<Lesson> pages;
};

std::vector<Section> sections(GalleryKind kind) {
  std::vector<Section> all{{"A course", lessons()}};
  if (kind == GalleryKind::course) return all;
  for (const std::string& collective : collective_names())
    all.push_back({fmt::format("All algorithms of {}", collective), pages_of(*collective_named(collective))});
  return all;
}

constexpr const char *editor_file = "write", *editor_title = "Write your own schedule";

// The page on which readers write schedules, with the machines for its races.
GalleryFile editor() {
  ViewerPage page{.title = editor_title, .machines = Json::array()};
  for (const std::string& name : machine_names()) {
    const MachineCosts machine = find_machine(name);
    page.machines.push_back({{"name", name}, {"about", machine.description}, {"file", machine_text(machine)}});
  }
  return {fmt::format("{}.html", editor_file), html_of(page, true)};
}

}  // namespace

std::optional<ProblemOptions> pictured_problem(const Algorithm& algorithm) {
  if (algorithm.picture_problem.empty()) return std::nullopt;
  ProblemOptions options;
  read_options(std::string(algorithm.picture_problem), [&](OptionTable& table) { options.add_to(table); });
  return options;
}

std::vector<GalleryFile> gallery(GalleryKind kind) {
  const bool is_course = kind == GalleryKind::course;
  std::vector<GalleryFile> files{{"viewer.js", viewer_script()}, {"viewer.css", viewer_style()}};
  ViewerPage index{.title = std::string(index_title),
                   .text = "Each page replays one algorithm: play it, step by the arrow keys, and click a block to follow it."};
  Json to_print = Json::array();
  for (const Section& section : sections(kind)) {
    Json pages = Json::array();
    for (std::size_t i = 0; i < section.pages.size(); ++i) {
      const Lesson& lesson = section.pages[i];
      const auto cases = make_named_cases(lesson.collective, lesson.problem.problems(lesson.collective), {lesson.algorithm});
      const Schedule schedule = cases.front().schedule();
      const auto topology = lesson.problem.network();
      ViewerPage page{.title = lesson.title};
      const Trace trace = described_trace(schedule, cases.front().short_name(), topology ? &*topology : nullptr, {});
      page.add(trace);
      files.push_back({lesson.file + ".svg", thumbnail_of(trace)});
      page.text = fmt::format("{} {}", lesson.text, figures_text(schedule));
      page.links.push_back(link("all lessons", "index"));
      if (i > 0) page.links.push_back(link("back: " + section.pages[i - 1].title, section.pages[i - 1].file));
      if (i + 1 < section.pages.size())
        page.links.push_back(link("next: " + section.pages[i + 1].title, section.pages[i + 1].file));
      if (is_course) page.links.push_back({{"text", "the task"}, {"file", fmt::format("{}.html#task={}", editor_file, i + 1)}});
      files.push_back({lesson.file + ".html", html_of(page, true)});
      Json entry = link(lesson.title, lesson.file);
      entry["about"] = first_sentence(lesson.text);
      entry["picture"] = lesson.file + ".svg";
      pages.push_back(std::move(entry));
      const auto* sheet =
          std::find_if(std::begin(printed), std::end(printed), [&](const auto& each) { return each.lesson == lesson.file; });
      if (!is_course || sheet == std::end(printed)) continue;
      ProblemOptions fitting = lesson.problem;
      fitting.ranks = sheet->ranks;
      const auto drawn = make_named_cases(lesson.collective, fitting.problems(lesson.collective), {lesson.algorithm});
      const std::string name = fmt::format("handout-{}.{}", i + 1, svg_converter() ? "pdf" : "svg");
      files.push_back({name, picture_for(name, handout(lesson.title, lesson.text, drawn.front().schedule()))});
      to_print.push_back(
          {{"text", lesson.title}, {"file", name}, {"about", "One sheet of A4: the lesson, a picture, and questions."}});
    }
    index.sections.push_back({{"title", section.title}, {"pages", std::move(pages)}});
  }
  if (is_course) {
    files.push_back(editor());
    files.push_back({"verifier.js", browser_verifier()});
    Json entry = link(editor_title, editor_file);
    entry["about"] = "A task for each lesson, or anything else. The page proves a schedule, or says what is wrong where.";
    index.sections.push_back({{"title", "Tasks"}, {"pages", Json::array({std::move(entry)})}});
    index.sections.push_back({{"title", "To print"}, {"pages", std::move(to_print)}});
  }
  files.push_back({"index.html", html_of(index, true)});
  return files;
}

bool is_gallery_index(std::string_view html) {
  return html.find(R"("format":"quadrille-page/1")") != std::string_view::npos && html.find(index_title) != std::string_view::npos;
}

}  // namespace quadrille::command
