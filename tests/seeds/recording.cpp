// SPDX-License-Identifier: BSD-3-Clause
#include "seeds/recording.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <type_traits>
#include <utility>

#include "quadrille/error.hpp"
#include "recording/recording_json.hpp"
#include "recording/totals.hpp"
#include "seeds/history.hpp"
#include "seeds/remains.hpp"
#include "seeds/truth.hpp"
#include "seeds/written.hpp"

namespace quadrille::seeds {
namespace {

namespace fs = std::filesystem;

// A folder of this process, removed at the end.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / fmt::format("quadrille-seeds-{}", ::getpid())) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string of(const std::string& name) const {
    fs::create_directories(path_ / name);
    return (path_ / name).string();
  }

 private:
  const fs::path path_;
};

// The space on the disk, as the kernel limits the length of files.
class Space {
 public:
  explicit Space(std::uint64_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    struct rlimit less = before_;
    if (bytes > 0) less.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &less);
  }
  ~Space() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  Space(const Space&) = delete;
  Space& operator=(const Space&) = delete;

 private:
  struct rlimit before_ {};
};

std::string file_of(std::size_t rank) { return fmt::format("rank-{}.recording", rank); }

// The outcome of a read: nothing if it was refused by `sentence`.
template <class T>
struct Read {
  std::optional<T> result;
  std::string sentence, wrong;
};

template <class Function>
auto tried(const Function& read) {
  Read<std::invoke_result_t<Function>> outcome;
  try {
    outcome.result = read();
  } catch (const Error& error) {
    outcome.sentence = error.what();
    const auto is_control = [](unsigned char each) { return each < ' '; };
    if (outcome.sentence.empty() || outcome.sentence.size() > 500 ||
        std::any_of(outcome.sentence.begin(), outcome.sentence.end(), is_control))
      outcome.wrong = fmt::format("'{}' is no sentence", outcome.sentence);
  } catch (const std::exception& error) {
    outcome.wrong = fmt::format("an exception that is no Error: {}", error.what());
  }
  return outcome;
}

// What became of the ranks in one folder.
struct Scene {
  std::string folder;
  std::vector<Fate> fates;  // by rank
};

class Comparison {
 public:
  Comparison(const std::vector<RankHistory>& now, const std::vector<RankHistory>& before, const std::vector<std::size_t>& cuts)
      : now_(now), before_(before), cuts_(cuts) {}

  std::string wrong_in(const Scene& scene);

 private:
  using Contents = recording::RankContents;
  std::string wrong_in_rank(const Scene& scene, std::size_t rank);
  std::string wrong_together(const std::string& folder) const;
  std::string wrong_parts(const Recording& recording, const std::vector<const Contents*>& kept) const;

  const std::vector<RankHistory>& now_;
  const std::vector<RankHistory>& before_;  // an earlier run
  const std::vector<std::size_t>& cuts_;
  std::map<std::size_t, Contents> readable_;  // by rank
  std::size_t refused_ = 0;
};

std::string Comparison::wrong_in_rank(const Scene& scene, std::size_t rank) {
  const std::string path = scene.folder + "/" + file_of(rank);
  const Fate* const fate = rank < scene.fates.size() ? &scene.fates[rank] : nullptr;
  const bool must_be = !fate || fate->header_done >= 2;  // the clock's rate is known
  if (!fs::exists(path)) return must_be ? "there is no file" : "";
  auto read = tried([&] { return recording::read_rank(path); });
  if (!read.wrong.empty()) return read.wrong;
  if (!read.result) {
    ++refused_;
    return must_be ? "refused: " + read.sentence : "";
  }
  const Contents& contents = readable_.emplace(rank, std::move(*read.result)).first->second;
  const bool is_older = !before_.empty() && rank < before_.size() && contents.facts.run == before_[rank].facts.run;
  if (is_older && fate && fate->header_done > 0) return "the file is that of an earlier run";
  if (!is_older && !fate) return "the file is of no run";
  if (!is_older) return seeds::wrong_in(contents, now_[rank], *fate, cuts_[rank]);
  const std::size_t all = before_[rank].steps.size();
  return seeds::wrong_in(contents, before_[rank], {.header_done = all, .units_done = all}, ~std::size_t{0});
}

// The parts of the recording are those of its files.
std::string Comparison::wrong_parts(const Recording& recording, const std::vector<const Contents*>& kept) const {
  std::vector<std::string> names;
  std::vector<RecordedCommunicator> communicators;
  if (recording.ranks.size() != kept.size()) return fmt::format("{} ranks instead of {}", recording.ranks.size(), kept.size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const RecordedRank &read = recording.ranks[i], &own = kept[i]->recorded;
    if (read.rank != own.rank || read.calls != own.calls || read.entries != own.entries ||
        read.sites.size() != kept[i]->sites.size())
      return fmt::format("rank {} differs from its file", own.rank);
    std::vector<std::size_t> numbers;
    for (RecordedCommunicator each : kept[i]->communicators) {
      const std::string name = std::exchange(each.name, {});
      const auto at = static_cast<std::size_t>(std::find(communicators.begin(), communicators.end(), each) - communicators.begin());
      if (at == communicators.size()) communicators.push_back(each), names.push_back({});
      if (names[at].empty()) names[at] = name;
      numbers.push_back(at);
    }
    for (std::size_t site = 0; site < read.sites.size(); ++site) {
      RecordedSite expected = kept[i]->sites[site];
      expected.communicator = numbers[expected.communicator];
      if (recording.sites.at(read.sites[site]) != expected) return fmt::format("site {} of rank {} differs", site, own.rank);
    }
  }
  for (std::size_t at = 0; at < communicators.size(); ++at) communicators[at].name = names[at];
  if (recording.communicators != communicators) return "the communicators differ";
  std::vector<RecordedSite> sites = recording.sites;
  std::sort(sites.begin(), sites.end());
  return std::adjacent_find(sites.begin(), sites.end()) == sites.end() ? "" : "a site is there twice";
}

// The latest run of which a file can be read is the recording.
std::string Comparison::wrong_together(const std::string& folder) const {
  const auto read = tried([&] { return read_recording(folder); });
  if (!read.wrong.empty()) return read.wrong;
  if (!read.result) return readable_.empty() ? "" : "refused: " + read.sentence;
  if (readable_.empty()) return "a recording without files";
  const Recording& recording = *read.result;
  std::uint64_t run = 0;
  for (const auto& [rank, contents] : readable_) run = std::max(run, contents.facts.run);
  std::vector<const Contents*> kept;
  for (const auto& [rank, contents] : readable_)
    if (contents.facts.run == run) kept.push_back(&contents);
  if (const std::size_t remarks = refused_ + (kept.size() < readable_.size() ? 1 : 0); recording.remarks.size() != remarks)
    return fmt::format("{} remarks instead of {}", recording.remarks.size(), remarks);
  if (recording.world_size != kept[0]->facts.world_size || recording.start_unix_ns != kept[0]->facts.start_unix_ns ||
      recording.is_folded != kept[0]->facts.folds)
    return "the facts of the run are wrong";
  if (auto wrong = wrong_parts(recording, kept); !wrong.empty()) return wrong;
  double sum = 0, expected = 0;
  for (const double each : recording::totals(recording)) sum += each;
  for (const RecordedRank& rank : recording.ranks)
    for (const RecordedTimes& each : rank.times) expected += each.gap_s + each.away_s + each.duration_s;
  if (std::abs(sum - expected) > 1e-9 * expected) return fmt::format("the parts' sum is {} s, not {} s", sum, expected);
  Count calls = 0;
  for (const RecordedRank& rank : recording.ranks) calls += rank.calls;
  if (calls > 3000) return {};
  std::ostringstream json;
  const auto printed = tried([&] { return recording::write_json(json, recording), recording::phases(recording, 20).size(); });
  return printed.result ? "" : "it cannot be printed: " + printed.sentence + printed.wrong;
}

std::string Comparison::wrong_in(const Scene& scene) {
  readable_.clear(), refused_ = 0;
  for (std::size_t rank = 0; rank < std::max(now_.size(), before_.size()); ++rank)
    if (const std::string wrong = wrong_in_rank(scene, rank); !wrong.empty()) {
      std::string text = fmt::format("rank {}", rank);
      if (rank < scene.fates.size()) {
        const Fate& fate = scene.fates[rank];
        constexpr std::string_view ends[] = {"intact", "killed", "read meanwhile"};
        text += fmt::format(" ({}; steps {} to {} of {}{}", ends[static_cast<std::size_t>(fate.what)], fate.header_done,
                            fate.units_done, now_[rank].steps.size(), fate.is_within ? " and a part of the next" : "");
        if (fate.units_done < now_[rank].steps.size()) text += fmt::format(", {}", name(now_[rank].steps[fate.units_done].what));
        text += ")";
      }
      return text + ": " + wrong;
    }
  const std::string wrong = wrong_together(scene.folder);
  return wrong.empty() ? "" : "all ranks: " + wrong;
}

Fate random_fate(Chance& chance, std::size_t steps) {
  Fate fate{.what = chance.one_in(4) ? Fate::What::intact : chance.one_in(3) ? Fate::What::read_meanwhile : Fate::What::killed};
  // More can go wrong at the beginning and at the end.
  const std::size_t near = std::min<std::size_t>(steps, chance.one_in(2) ? 3 : 12);
  fate.step = chance.one_in(3) ? chance.below(near) : chance.one_in(2) ? steps - 1 - chance.below(near) : chance.below(steps);
  fate.store = chance.below(chance.one_in(3) ? 300 : chance.one_in(2) ? 40 : 8);
  if (fate.what == Fate::What::intact) fate.step = steps;
  return fate;
}

struct NoWatch final : Watch {
  void begin(std::size_t) override {}
  void note_cut(std::size_t) override {}
};

}  // namespace

std::string run_recording(std::uint64_t seed) {
  Chance chance(seed);
  const Folder place;
  const std::string live = place.of("live");
  std::vector<RankHistory> before, now;
  if (chance.one_in(4)) before = random_histories(chance, 1);
  now = random_histories(chance, 2);
  for (RankHistory& each : before) each.longest_file = 0;
  NoWatch unwatched;
  for (const RankHistory& each : before)
    if (const std::string why = write_rank(live, each, unwatched); !why.empty()) return why;

  std::vector<Scene> scenes(1 + chance.below(4));  // the last one: nobody is killed, and the files stay where they are
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    Scene& scene = scenes[i];
    const bool is_last = i + 1 == scenes.size();
    scene.folder = is_last ? live : place.of(fmt::format("scene-{}", i));
    if (!before.empty() && !is_last) fs::copy(live, scene.folder);
    if (chance.one_in(4))
      std::ofstream(scene.folder + "/.quadrille-00c0ffee") << "quadrille-recording/2\n";  // as a killed fold leaves it
    for (std::size_t rank = 0; rank < now.size(); ++rank) {
      const std::size_t steps = now[rank].steps.size();
      scene.fates.push_back(is_last ? Fate{.step = steps} : random_fate(chance, steps));
      if (!is_last) scene.fates.back().remains = scene.folder + "/" + file_of(rank);
    }
  }

  std::vector<std::size_t> cuts;
  for (std::size_t rank = 0; rank < now.size(); ++rank) {
    std::vector<Fate> fates;
    for (const Scene& scene : scenes) fates.push_back(scene.fates[rank]);
    Remains remains(live + "/" + file_of(rank), fates, chance);
    {
      const Space space(now[rank].longest_file);
      const std::string why = write_rank(live, now[rank], remains);
      remains.end(why.empty());
      if (!why.empty() && now[rank].longest_file == 0) return why;
    }
    cuts.push_back(remains.cut());
    for (std::size_t i = 0; i < scenes.size(); ++i) scenes[i].fates[rank] = fates[i];
  }
  Comparison comparison(now, before, cuts);
  for (std::size_t i = 0; i < scenes.size(); ++i)
    if (const std::string wrong = comparison.wrong_in(scenes[i]); !wrong.empty())
      return fmt::format("scene {} of {}: {}", i + 1, scenes.size(), wrong);
  return {};
}

}  // namespace quadrille::seeds
