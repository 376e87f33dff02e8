// SPDX-License-Identifier: BSD-3-Clause
// Ranks as fibres of one thread. One number, the seed, decides which fibre goes on at each point, how late it sees another rank's
// stores, when a rank dies, and what the clock shows. So the same seed gives the same run on every machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace quadrille::seeds {

constexpr std::size_t most_ranks = 8;

// Random numbers that are the same everywhere (splitmix64).
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 0x2545f4914f6cdd1du) {}
  std::uint64_t next() {
    std::uint64_t x = state_ += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }
  std::uint64_t below(std::uint64_t n) { return next() % n; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  template <class List>
  const auto& of(const List& list) {
    return list[below(std::size(list))];
  }

 private:
  std::uint64_t state_;
};

// What a fibre did when another one went on.
struct Switch {
  std::size_t from, to;
  const char* what;
  const void* place;  // the return address of the call; null: none
  std::int64_t now_ns;
};

class Fibres {
 public:
  using Body = std::function<void()>;

  explicit Fibres(Chance& chance);
  ~Fibres();
  Fibres(const Fibres&) = delete;
  Fibres& operator=(const Fibres&) = delete;

  static Fibres* current();  // null outside of run()

  void add(Body body);  // its rank is the number of fibres before it
  // Returns when all fibres are over or dead, or after a failure. Returns the failure, or "".
  std::string run();

  // For the running fibre.
  std::size_t rank() const { return running_; }
  void point(const char* what, const void* place);     // another fibre may go on
  void give_way(const char* what, const void* place);  // another fibre goes on, if one can
  // Sleeps until woken or until the time has passed. Returns whether it was woken. `word` names what it sleeps on; null: nothing.
  bool sleep(std::int64_t ns, const void* word, const void* place);
  void wake(const void* word);
  [[noreturn]] void die();
  [[noreturn]] void fail(const std::string& why);

  std::function<void(std::size_t rank)> on_death;  // ends the rank's process
  // The rank dies at its first point after so many points of all ranks.
  void may_die(std::size_t rank, std::uint64_t after_points) { dies_after_[rank] = after_points; }
  bool is_dead(std::size_t rank) const;
  bool any_dead() const { return deaths_ > 0; }

  std::int64_t now_ns() { return now_ns_ += 25; }
  void copy(std::size_t bytes, const void* place);  // a copy of shared memory: a point, unless it is one of many short ones
  // A rank has changed what others may wait for. Without such progress for two minutes, the run has hung.
  void note_progress() { last_progress_ns_ = now_ns_, idle_ = 0; }
  // Ranks sleep for so long only if others wake them: a sleep that ends by time while all ranks sleep is a failure.
  void expect_wakes(bool expect) { expects_wakes_ = expect; }
  // A yield always takes 5 us, because nobody calls note_progress.
  void let_time_pass_evenly() { passes_evenly_ = true, way_ns_ = 5'000; }

  std::uint64_t points() const { return points_; }
  const std::deque<Switch>& last_switches() const { return switches_; }

 private:
  enum class Stage { ready, sleeping, over, dead };
  struct Fibre;

  static void enter();
  static void go_on(Fibre& to, bool is_main);
  void pass(std::int64_t ns, std::int64_t most_ns);
  void switch_to(std::size_t next);
  std::size_t pick(bool may_stay);
  void leave_for_next(const char* what, const void* place, bool may_stay);

  static constexpr std::size_t none = ~std::size_t{0};
  static constexpr std::size_t kept_switches = 50;

  Chance& chance_;
  std::vector<std::unique_ptr<Fibre>> fibres_;
  std::unique_ptr<Fibre> main_;  // stands for run()
  std::size_t running_ = none;
  std::array<std::uint64_t, most_ranks> dies_after_{};
  std::uint64_t switch_one_in_, points_ = 0, idle_ = 0;
  std::int64_t way_ns_ = 500;  // how long a rank that gives way waits for its core
  std::size_t slow_ = none;    // a rank that seldom goes on
  std::int64_t now_ns_ = 1'000'000'000, last_progress_ns_ = now_ns_;
  bool expects_wakes_ = false, passes_evenly_ = false;
  int deaths_ = 0;
  std::string failure_;
  std::deque<Switch> switches_;
};

}  // namespace quadrille::seeds
