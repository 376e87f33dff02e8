// SPDX-License-Identifier: BSD-3-Clause
// The proofs for all numbers of ranks. Numbers such as q w, a product of two variables, occur only in equations in which all
// products have the same factors, or in the lemmas, so the solver needs no search over products.
#include "foundation/text/wording.hpp"
#include "prove/descriptions.hpp"
#include "prove/proof.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille::command {
namespace {

const IntTerm p("p"), w("w"), i("i"), j("j"), u("u"), v("v"), m("m"), q("q"), b("b");

Condition is_in(const IntTerm& low, const IntTerm& value, const IntTerm& end) { return low <= value && value < end; }

std::vector<Condition> for_each(Count first, Count last, const std::function<Condition(Count)>& formula) {
  std::vector<Condition> list;
  for (Count value = first; value <= last; ++value) list.push_back(formula(value));
  return list;
}

IntTerm sum_of(Count first, Count last, const std::function<IntTerm(Count)>& term) {
  IntTerm sum = term(first);
  for (Count value = first + 1; value <= last; ++value) sum = sum + term(value);
  return sum;
}

// Facts about quotients and remainders, which other steps use.
ProofSection division() {
  ProofSection section("division");
  const IntTerm q2("q2"), m2("m2");
  section.step("quotient and remainder are unique", "w q m q2 m2", {is_in(0, m, w), is_in(0, m2, w), q * w + m == q2 * w + m2},
               q == q2 && m == m2);
  section.step("a quotient is less if the number is less", "w q q2", {IntTerm(0) < w, q * w < q2 * w}, q < q2);
  section.step("a number is not less if the quotient is not", "w q q2", {IntTerm(0) <= w, q <= q2}, q * w <= q2 * w);
  return section;
}

// In the steps, slot j has the quotient q and the remainder m by place w; q has the quotient h by the radix. So m is what the
// block in the slot has moved before the level.
struct BruckProof {
  explicit BruckProof(Count radix) : radix(radix), section(fmt::format("radix {}", radix)) {
    for (Count digit = 1; digit < radix; ++digit) {
      has_hop.push_back(section.define<IntTerm>(fmt::format("has-hop-{}", digit), "w p", bruck::has_hop(digit, w, p)));
      hop.push_back(section.define<IntTerm>(fmt::format("hop-{}", digit), "w", bruck::hop(digit, w)));
      slots.push_back(
          section.define<IntTerm>(fmt::format("slots-{}", digit), "w high low", bruck::slots(digit, w, IntTerm("high"), low)));
    }
    add_moves();
    add_places();
    add_counts();
    for (Count ports = 1; ports <= 4; ++ports) add_rounds(ports);
  }
  void add_moves();
  void add_places();
  void add_counts();
  void add_rounds(Count ports);

  const IntTerm h{"h"}, low{"low"};
  const Count radix;
  ProofSection section;
  const Defined<Condition, IntTerm> goes_on = section.define<IntTerm>("goes-on", "w p", bruck::goes_on(w, p));
  const Defined<IntTerm, IntTerm> next_place = section.define<IntTerm>("next-place", "w", bruck::next_place(radix, w));
  const Defined<IntTerm, IntTerm> output_block = section.define<IntTerm>("output-block", "i j p", bruck::output_block(i, j, p));
  const Defined<IntTerm, IntTerm> input_block = section.define<IntTerm>("input-block", "i j p", bruck::input_block(i, j, p));
  // By digit.
  std::vector<Defined<Condition, IntTerm>> has_hop{{}};
  std::vector<Defined<IntTerm, IntTerm>> hop{section.define<IntTerm>("hop-0", "w", IntTerm(0))}, slots{{}};
};

void BruckProof::add_moves() {
  section.step("before the first level no block has moved", "j q m", {j == q * 1 + m, is_in(0, m, 1)}, m == 0);
  for (Count digit = 0; digit < radix; ++digit)
    section.step(fmt::format("a level moves digit {} so that blocks have moved the remainder by the next place", digit), "w j h m",
                 {IntTerm(1) <= w, j == (radix * h + digit) * w + m, is_in(0, m, w), IntTerm(0) <= h},
                 j == h * next_place(w) + (m + hop[index(digit)](w)) && is_in(0, m + hop[index(digit)](w), next_place(w)));
  for (Count digit = 1; digit < radix; ++digit)
    section.step(fmt::format("a slot with digit {} is in a message, and a message has a slot", digit), "p w j h m",
                 {IntTerm(1) <= w, is_in(0, m, w), IntTerm(0) <= h},
                 implies(j == (radix * h + digit) * w + m && j < p, has_hop[index(digit)](w, p)) &&
                     implies(has_hop[index(digit)](w, p) && h == 0 && m == 0 && j == (radix * h + digit) * w + m, j < p));
  section.step("there is a level for each place below p", "p w", {}, same(goes_on(w, p), w < p));
  section.step("the next place is the radix times as large", "w", {IntTerm(1) <= w},
               next_place(w) == radix * w && w < next_place(w));
  section.step("after the last level each block has moved its distance", "p w j q m",
               {IntTerm(1) <= w, !goes_on(w, p), is_in(0, j, p), j == q * w + m, is_in(0, m, w), IntTerm(0) <= q}, m == j);
  section.step("messages of a level go to different ranks, none to the sender", "p w", {IntTerm(1) <= w},
               all_of(for_each(1, radix - 1, [&](Count digit) {
                 const IntTerm before = digit == 1 ? IntTerm(0) : hop[index(digit - 1)](w);
                 return implies(has_hop[index(digit)](w, p), is_in(before + 1, hop[index(digit)](w), p));
               })));
}

void BruckProof::add_places() {
  const IntTerm j2("j2");
  section.step("slots of a rank lie in different blocks of the output", "p i j j2",
               {is_in(0, i, p), is_in(0, j, p), is_in(0, j2, p), output_block(i, j, p) == output_block(i, j2, p)}, j == j2);
  section.step("slot j ends in the block of rank i - j, and begins as the block for rank i + j", "p i j",
               {is_in(0, i, p), is_in(0, j, p)},
               is_in(0, output_block(i, j, p), p) && is_in(0, input_block(i, j, p), p) &&
                   (output_block(i, j, p) == i - j || output_block(i, j, p) == i - j + p) &&
                   (input_block(i, j, p) == i + j || input_block(i, j, p) == i + j - p));
}

void BruckProof::add_counts() {
  for (Count digit = 1; digit < radix; ++digit) {
    const auto& count = slots[index(digit)];
    section.step(fmt::format("digit {} has no slots below 0", digit), "w", {IntTerm(1) <= w}, count(w, 0, 0) == 0);
    // Slot j is h * radix * w + d * w + m. The number of slots below j + 1 exceeds that below j by 1 if the digit is d, else by 0.
    section.step(fmt::format("slots with digit {} are counted one by one", digit), "w h low",
                 {IntTerm(1) <= w, IntTerm(0) <= h, is_in(0, low, radix * w)},
                 select(low + 1 < radix * w, count(w, h, low + 1), count(w, h + 1, 0)) ==
                     count(w, h, low) + select(is_in(digit * w, low, (digit + 1) * w), IntTerm(1), IntTerm(0)));
    if (digit > 1)
      section.step(fmt::format("digit {} has no more slots than digit {}", digit, digit - 1), "w h low",
                   {IntTerm(1) <= w, is_in(0, low, radix * w)}, count(w, h, low) <= slots[index(digit - 1)](w, h, low));
  }
}

void BruckProof::add_rounds(Count ports) {
  const Count full = bruck::round_of(radix - 1, ports) + 1;
  // A round of a level exists if its first digit has a message.
  const IntTerm rounds =
      sum_of(0, full - 1, [&](Count round) { return select(has_hop[index(round * ports + 1)](w, p), IntTerm(1), IntTerm(0)); });
  section.step(fmt::format("{} ports: a level before the last has {} rounds", ports, full), "p w",
               {IntTerm(1) <= w, goes_on(next_place(w), p)}, rounds == full);
  Condition has_ceiling = false;  // c = ceil(p / w)
  for (Count c = 2; c <= radix; ++c)
    has_ceiling = has_ceiling || ((c - 1) * w < p && p <= c * w && ports * (rounds - 1) < c - 1 && c - 1 <= ports * rounds);
  section.step(fmt::format("{} ports: the last level has ceil((ceil(p / w) - 1) / {}) rounds", ports, ports), "p w",
               {IntTerm(1) <= w, goes_on(w, p), !goes_on(next_place(w), p)}, has_ceiling);
}

std::vector<ProofSection> bruck_sections() {
  std::vector<ProofSection> sections{division()};
  for (Count radix = 2; radix <= 16; ++radix) sections.push_back(BruckProof(radix).section);
  return sections;
}

struct ConcatenationProof {
  explicit ConcatenationProof(Count ports) : ports(ports), section(counted(ports, "port")) {
    for (Count port = 1; port <= ports; ++port) {
      distance.push_back(section.define<IntTerm>(fmt::format("distance-{}", port), "w", concatenation::distance(port, w)));
      first.push_back(section.define<IntTerm>(fmt::format("first-{}", port), "w", concatenation::first(port, w)));
      last.push_back(section.define<IntTerm>(fmt::format("last-{}", port), "w", concatenation::last(port, w)));
    }
    add_rounds();
    for (Count areas = 1; areas <= ports; ++areas) add_last_round(areas);
    add_volume();
  }
  void add_rounds();
  void add_last_round(Count areas);
  void add_volume();

  const Count ports;
  ProofSection section;
  const Defined<Condition, IntTerm> goes_on = section.define<IntTerm>("goes-on", "w p", concatenation::goes_on(ports, w, p));
  const Defined<IntTerm, IntTerm> next_known = section.define<IntTerm>("next-known", "w", concatenation::next_known(ports, w));
  const Defined<IntTerm, IntTerm> last_distance =
      section.define<IntTerm>("last-distance", "w low next", concatenation::last_distance(w, IntTerm("low"), IntTerm("next")));
  // By port.
  std::vector<Defined<IntTerm, IntTerm>> distance{section.define<IntTerm>("distance-0", "w", IntTerm(0))}, first{{}}, last{{}};
};

void ConcatenationProof::add_rounds() {
  const IntTerm x("x");
  const auto arrives = [&](Count port) { return is_in(first[index(port)](w), x, last[index(port)](w)); };
  section.step("before the first round a rank knows its own block", "x", {is_in(0, x, 1)}, x == 0);
  section.step(
      "a sender knows the roles that it sends", "w x", {IntTerm(1) <= w},
      all_of(for_each(1, ports, [&](Count port) { return implies(arrives(port), is_in(0, x - distance[index(port)](w), w)); })));
  section.step("each new role arrives once, and no other", "w x", {IntTerm(1) <= w},
               sum_of(1, ports, [&](Count port) { return select(arrives(port), IntTerm(1), IntTerm(0)); }) ==
                   select(is_in(w, x, next_known(w)), IntTerm(1), IntTerm(0)));
  section.step("roles differ, and messages of a round go to different ranks", "p w", {IntTerm(1) <= w, goes_on(w, p)},
               next_known(w) < p && all_of(for_each(1, ports, [&](Count port) {
                 return is_in(distance[index(port - 1)](w) + 1, distance[index(port)](w), p);
               })));
  section.step("a rank then knows as many more as there are ports", "w", {IntTerm(1) <= w},
               next_known(w) == (ports + 1) * w && w + 1 <= next_known(w) && ports + 1 <= next_known(w));
  section.step("the last round follows when p is at most the next power", "p w", {IntTerm(1) <= w, w < p, !goes_on(w, p)},
               is_in(1, p - w, ports * w + 1));
  section.step("if a rank knows only its own block, each port has one column", "p w",
               {w == 1, !goes_on(w, p), IntTerm(ports + 1) <= p}, p - w == ports);
}

void ConcatenationProof::add_last_round(Count areas) {
  std::string names = "p w";
  std::vector<Condition> given{IntTerm(1) <= w, w < p};
  std::vector<IntTerm> low, high;
  Condition single = w == 1;  // each area is one column
  for (Count a = 0; a < areas; ++a) {
    names += fmt::format(" low{} high{}", a, a);
    low.emplace_back(fmt::format("low{}", a)), high.emplace_back(fmt::format("high{}", a));
    given.push_back(is_in(low[index(a)], high[index(a)], low[index(a)] + w));
    given.push_back(a == 0 ? low[0] == 0 : low[index(a)] == high[index(a - 1)] || low[index(a)] == high[index(a - 1)] + 1);
    single = single && low[index(a)] == a && high[index(a)] == a;
  }
  given.push_back(high.back() == p - w - 1);
  given.push_back(IntTerm(ports) <= w || single);
  IntTerm next = p + 1;
  Condition goal = true;
  for (Count a = areas - 1; a >= 0; --a) {
    const IntTerm here = last_distance(w, low[index(a)], next);
    goal = goal && is_in(1, here, p) && here < next && here <= w + low[index(a)] && w + high[index(a)] < w + here;
    next = here;
  }
  section.step(fmt::format("last round, {}: senders know what they send, and distances differ", counted(areas, "area")), names,
               given, goal);
}

void ConcatenationProof::add_volume() {
  const IntTerm c("c"), s("s"), g("g"), lo("lo");
  section.step("whole columns fit: areas of ceil(c / ports) columns cover all", "w c g",
               {IntTerm(1) <= w, is_in(1, c, ports * w + 1), ports * (g - 1) < c, c <= ports * g}, g <= w);

  section.step("blocks received before a round", "w s", {ports * s == w - 1}, ports * (s + w) == next_known(w) - 1);
  const IntTerm longest("longest"), excess("excess");
  const std::vector<Condition> least{IntTerm(1) <= w, IntTerm(1) <= b, ports * (longest - 1) < c * b, c * b <= ports * longest};
  std::vector<Condition> all = least;
  all.push_back(ports * s == w - 1), all.push_back(p == w + c);
  section.step("if areas have the least length, C2 = ceil(b (p - 1) / ports)", "p w c b s longest", all,
               ports * (s * b + longest - 1) < b * (p - 1) && b * (p - 1) <= ports * (s * b + longest));
  // An area that begins at byte a longest, in column lo, may end at column lo + w.
  for (Count missing = 0; missing < ports; ++missing) {
    const bool is_rest = missing > 0 && ports > 2;
    for (Count a = 0; a < ports; ++a) {
      std::vector<Condition> given = least;
      given.push_back(lo * b <= a * longest && a * longest < (lo + 1) * b && IntTerm(0) <= lo);
      if (is_rest) {
        given.push_back(IntTerm(0) <= excess && c == ports * (w - 1) - excess);
        given.push_back(IntTerm(0) <= excess * b);  // by the lemma, as the next two
      } else {
        const IntTerm column = a == 0 ? IntTerm(0) : a * w - missing;
        given.push_back(c == ports * w - missing);
        given.push_back(implies(column * b < (lo + 1) * b, column < lo + 1));
        given.push_back(implies(column <= lo, column * b <= lo * b));
      }
      section.step(is_rest ? fmt::format("least length fits, area {}: c <= {} (w - 1)", a, ports)
                           : fmt::format("least length fits, area {}: c = {} w - {}", a, ports, missing),
                   "w c b longest lo excess", given, a * longest + longest <= (lo + w) * b || c * b <= (lo + w) * b);
    }
    if (is_rest) break;
  }
  section.step("two last rounds: own blocks go to different ranks, and the rest then has the least length", "p w c",
               {p == w + c, ports + 1 <= w, ports * (w - 1) < c, c <= ports * w},
               w + ports - 1 < p && is_in(1, c - ports, ports * (w + ports - 1) + 1));
}

std::vector<ProofSection> concatenation_sections() {
  ProofSection cut("areas");
  const IntTerm begin("begin"), end("end"), lo("lo"), hi("hi"), next("next");
  cut.step("an area of bytes begin .. end - 1 has at most w columns, and the next begins in its last column or behind",
           "w b begin end lo hi next",
           {IntTerm(1) <= b, lo * b <= begin, begin < (lo + 1) * b, begin < end, end <= (lo + w) * b, hi * b <= end - 1,
            end - 1 < (hi + 1) * b, next * b <= end, end < (next + 1) * b},
           is_in(lo, hi, lo + w) && (next == hi || next == hi + 1));
  std::vector<ProofSection> sections{division(), cut};
  for (Count ports = 1; ports <= 4; ++ports) sections.push_back(ConcatenationProof(ports).section);
  return sections;
}

std::vector<ProofSection> doubling_sections() {
  ProofSection section("doubling");
  const BitsTerm p("p"), i("i"), m("m"), x("x"), s("s");
  const auto partner = section.define<BitsTerm>("partner", "i m", doubling::partner(i, m));
  const auto first = section.define<BitsTerm>("first", "i m", doubling::first(i, m));
  const auto first_received = section.define<BitsTerm>("first-received", "i m", doubling::first_received(i, m));
  const auto is_power = [](const BitsTerm& n) { return n != 0 && (n & (n - 1)) == 0; };
  const auto holds = [&](const BitsTerm& from, const BitsTerm& count) { return x - from < count; };  // is rank x among them?
  const std::vector<Condition> round{is_power(p), is_power(m), p <= BitsTerm(Count{1} << 62), m < p, i < p};
  section.step<BitsTerm>("before the first round a rank has its own block", "i m", {m == 1}, first(i, m) == i);
  section.step<BitsTerm>("partners exchange, and are two ranks", "p i m", round,
                         partner(i, m) < p && partner(i, m) != i && partner(partner(i, m), m) == i);
  section.step<BitsTerm>("a rank receives what its partner has", "p i m", round, first_received(i, m) == first(partner(i, m), m));
  section.step<BitsTerm>("a rank then has the blocks of twice as many ranks, each once", "p i m x", round,
                         same(holds(first(i, m + m), m + m), holds(first(i, m), m) || holds(first_received(i, m), m)) &&
                             !(holds(first(i, m), m) && holds(first_received(i, m), m)));
  section.step<BitsTerm>("the number doubles until it is p", "p i m", round, is_power(m + m) && m + m <= p);
  section.step<BitsTerm>("after the last round a rank has all blocks", "p i m x",
                         {is_power(p), m == p, i < p, p <= BitsTerm(Count{1} << 62)}, same(holds(first(i, m), m), x < p));
  section.step<BitsTerm>("blocks received before a round", "m s", {s == m - 1}, s + m == m + m - 1);
  return {section};
}

// `round` is the round of a pair. If `ranks_of_full_rounds` holds, ranks u_met and v_met meet in round f.
void add_factor_steps(ProofSection& section, const Defined<IntTerm, IntTerm>& round, const Defined<IntTerm, IntTerm>& rounds,
                      const std::vector<Condition>& ranks, const std::vector<Condition>& ranks_of_full_rounds, const IntTerm& u_met,
                      const IntTerm& v_met) {
  const IntTerm v2("v2"), f("f");
  const auto with = [](std::vector<Condition> list, const std::vector<Condition>& more) {
    list.insert(list.end(), more.begin(), more.end());
    return list;
  };
  const std::vector<Condition> pair = with(ranks, {is_in(0, u, p), is_in(0, v, p), u != v});
  section.step("both ranks of a pair name the same round", "p h u v", pair, round(p, u, v) == round(p, v, u));
  section.step("each pair has a round", "p h u v", pair, is_in(0, round(p, u, v), rounds(p)));
  section.step("a rank has one partner in a round", "p h u v v2", with(pair, {is_in(0, v2, p), u != v2, v != v2}),
               round(p, u, v) != round(p, u, v2));
  section.step("each round has a pair", "p h f g u v", with(ranks_of_full_rounds, {is_in(0, f, rounds(p)), u == u_met, v == v_met}),
               is_in(0, u, p) && is_in(0, v, p) && u != v && round(p, u, v) == f);
}

std::vector<ProofSection> factor_sections() {
  const IntTerm f("f"), g("g"), h("h");
  ProofSection basic("p rounds"), even("p - 1 rounds");
  add_factor_steps(basic, basic.define<IntTerm>("round", "p u v", factors::basic_round(p, u, v)),
                   basic.define<IntTerm>("rounds", "p", factors::basic_rounds(p)), {IntTerm(2) <= p}, {IntTerm(3) <= p},
                   select(f == 0, IntTerm(1), IntTerm(0)), select(f == 0, p - 1, f));
  // In round f the last rank meets the rank v with 2 v = f modulo p - 1.
  add_factor_steps(even, even.define<IntTerm>("round", "p u v", factors::even_round(p, u, v)),
                   even.define<IntTerm>("rounds", "p", factors::even_rounds(p)), {p == 2 * h, IntTerm(1) <= h},
                   {p == 2 * h, IntTerm(1) <= h, f == 2 * g || f == 2 * g + 1}, p - 1, select(f == 2 * g, g, g + h));
  return {basic, even};
}

}  // namespace

const std::vector<ProvedFamily>& proved_families() {
  static const std::vector<ProvedFamily> families{
      {"alltoall/bruck",
       "level=positional, radix r = 2 to 16, k = 1 to 4 ports, any p.\n"
       "The blocks in slot j of all ranks have the distance j to their targets. Before the level with place w = r^x, slot j of "
       "rank i\n"
       "has the block of rank i - (j mod w). After the last level it has the block of rank i - j, in that block of the output.\n"
       "C1 = (L - 1) ceil((r - 1) / k) + ceil((ceil(p / r^(L - 1)) - 1) / k), with r^(L - 1) < p <= r^L.\n"
       "C2 = sum over the rounds of the slots with the first digit of the round, slots-d.",
       bruck_sections},
      {"allgather/concatenation",
       "k = 1 to 4 ports, any p > k, any block size b.\n"
       "Role j of rank i is the block of rank i - j. Before round t a rank knows the roles below w = (k + 1)^t.\n"
       "C1 = T + 1, with (k + 1)^T < p <= (k + 1)^(T + 1), and T + 2 with two last rounds.\n"
       "C2 = ceil(b (p - 1) / k) for k = 1 and 2; for k = 3 and 4 if w = (k + 1)^T has p = (k + 1) w or p <= (k + 1) w - k, or "
       "with\n"
       "two last rounds.",
       concatenation_sections},
      {"allgather/recursive-doubling",
       "first=near, p a power of two up to 2^62, in 64 bits.\n"
       "Before round t rank i has the blocks of the m = 2^t ranks from i & -m on. C1 = log2 p, C2 = p - 1 blocks.",
       doubling_sections},
      {"alltoall/one-factor",
       "any p, both factors.\n"
       "Each pair of ranks exchanges in one round, and a rank has one partner in a round.\n"
       "C1 = p rounds; p - 1 for even p with factor=concentrated; 1 for p = 2. C2 = C1 blocks.",
       factor_sections},
  };
  return families;
}

}  // namespace quadrille::command
