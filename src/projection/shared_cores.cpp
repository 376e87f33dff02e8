// SPDX-License-Identifier: BSD-3-Clause
#include "projection/shared_cores.hpp"

#include <algorithm>
#include <queue>

namespace quadrille::projection {
namespace {

constexpr Count shared_cores_entries_between_reports = 1 << 16;

// Processor sharing: while n ranks compute on c cores, each advances by min(1, c / n) seconds a second. All advance alike, so a
// rank is done when the common progress has grown by its work.
class SharedCores {
 public:
  SharedCores(Walk& walk, std::size_t side, std::size_t ranks, Count cores)
      : walk_(walk), side_(side), cores_(static_cast<double>(cores)) {
    for (std::size_t rank = 0; rank < ranks; ++rank) moments_.push({0, rank, Next::take});
  }

  void run(const std::function<void()>& report) {
    while (!moments_.empty() || !computing_.empty()) {
      const double rate = std::min(1.0, cores_ / std::max(1.0, static_cast<double>(computing_.size())));
      const double done_s = computing_.empty() ? 0 : now_s_ + std::max(0.0, computing_.top().at - progress_) / rate;
      const bool is_done = !computing_.empty() && (moments_.empty() || done_s <= moments_.top().at);
      const double next_s = is_done ? done_s : std::max(now_s_, moments_.top().at);
      progress_ += (next_s - now_s_) * rate;
      now_s_ = next_s;
      if (is_done)
        end_computing();
      else
        begin();
      if (walk_.taken() % shared_cores_entries_between_reports == 0) report();
    }
  }

 private:
  enum class Next : std::uint8_t { take, act };
  struct Moment {
    double at;  // seconds; of computing ranks: common progress
    std::size_t rank;
    Next next;
    bool operator>(const Moment& other) const { return at > other.at; }
  };
  using Queue = std::priority_queue<Moment, std::vector<Moment>, std::greater<>>;

  void end_computing() {
    const std::size_t rank = computing_.top().rank;
    computing_.pop();
    walk_.pass(side_, rank, ProjectedPart::computing, now_s_ - walk_.now_s(side_, rank));
    const double away_s = walk_.away_s(rank);
    if (!(away_s > 0)) return act(rank);
    walk_.pass(side_, rank, ProjectedPart::other, away_s);
    moments_.push({walk_.now_s(side_, rank), rank, Next::act});
  }

  void begin() {
    const Moment moment = moments_.top();
    moments_.pop();
    if (moment.next == Next::act) return act(moment.rank);
    if (const double late_s = now_s_ - walk_.now_s(side_, moment.rank); late_s > 0)
      walk_.pass(side_, moment.rank, ProjectedPart::waiting, late_s);
    if (walk_.take(moment.rank)) computing_.push({progress_ + walk_.computing_s(moment.rank), moment.rank, Next::act});
  }

  void act(std::size_t rank) {
    released_.clear();
    const bool goes_on = walk_.act(rank, released_);
    if (goes_on) released_.push_back(rank);
    for (const std::size_t each : released_) moments_.push({walk_.now_s(side_, each), each, Next::take});
  }

  Walk& walk_;
  const std::size_t side_;
  const double cores_;
  double now_s_ = 0, progress_ = 0;
  Queue moments_, computing_;
  std::vector<std::size_t> released_;
};

}  // namespace

void walk_on_shared_cores(Walk& walk, std::size_t side, std::size_t ranks, Count cores, const std::function<void()>& report) {
  SharedCores(walk, side, ranks, cores).run(report);
}

}  // namespace quadrille::projection
