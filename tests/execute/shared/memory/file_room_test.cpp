// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/memory/file_room.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <vector>

#include "execute/shared/memory/extents.hpp"

namespace quadrille {
namespace {

constexpr Bytes page = FileRoom::page, first_extent = Extents::first;

bool always(std::size_t) { return true; }

FileRoom room_of_extents(std::size_t count) {
  FileRoom room;
  for (std::size_t extent = 0; extent < count; ++extent) room.add_free({Extents::begin(extent), Extents::bytes(extent)});
  return room;
}

// What each page of 8 MiB is, and since when the warm ones are free. A model without pieces.
struct Pages {
  enum State { cold, warm, parked, taken };
  std::vector<State> states = std::vector<State>(8 * first_extent / page, cold);

  bool are(Place place, Bytes length, State state) const {
    const auto begin = states.begin() + static_cast<std::ptrdiff_t>(place) / page;
    return std::all_of(begin, begin + length / page, [&](State each) { return each == state; });
  }
  void set(Place place, Bytes length, State state) {
    std::fill_n(states.begin() + static_cast<std::ptrdiff_t>(place) / page, length / page, state);
  }
  bool is_free(Place place) const { return are(place, page, cold) || are(place, page, warm); }
  Bytes count(State state) const { return std::count(states.begin(), states.end(), state) * page; }
};

struct Model {
  FileRoom room = room_of_extents(4);
  Pages pages;
  std::map<Place, Bytes> blocks;
  std::mt19937_64 random;

  explicit Model(unsigned seed) : random(seed) {}

  Bytes some_length() { return static_cast<Bytes>(random() % 100 + 1) * page; }
  std::pair<const Place, Bytes>& some_block() { return *std::next(blocks.begin(), static_cast<long>(random() % blocks.size())); }

  void take(bool grows) {
    const Bytes length = some_length();
    const auto place = grows ? room.take_to_grow(length, always) : room.take(length, always);
    if (!place) return;
    ASSERT_EQ(*place % page, 0u);
    ASSERT_EQ(Extents::of(*place), Extents::of(*place + static_cast<Place>(length) - 1));
    for (Place at = *place; at < *place + static_cast<Place>(length); at += page) ASSERT_TRUE(pages.is_free(at));
    pages.set(*place, length, Pages::taken);
    blocks[*place] = length;
  }

  void release(FileRoom::Milliseconds since) {
    const auto [place, length] = some_block();
    ASSERT_EQ(room.drop(place), length);
    ASSERT_EQ(room.length_of(place), 0);
    const FileRoom::Piece joined = room.add_free({place, length}, since);
    pages.set(place, length, since ? Pages::warm : Pages::cold);
    ASSERT_TRUE(pages.are(joined.place, joined.length, since ? Pages::warm : Pages::cold));
    blocks.erase(place);
  }

  void park() {
    const auto [place, length] = some_block();
    const FileRoom::Piece piece = room.park(place, 5);
    EXPECT_EQ(room.park(place, 5).length, 0);  // released twice
    pages.set(place, length, Pages::parked);
    blocks.erase(place);
    if (piece.length == 0) return;
    ASSERT_TRUE(pages.are(piece.place, piece.length, Pages::parked));
    ASSERT_EQ(room.length_of(piece.place), 0);
    room.add_free(piece, 5);
    pages.set(piece.place, piece.length, Pages::warm);
  }

  void take_parked() {
    const Bytes length = some_length();
    const auto place = room.take_parked(length);
    if (!place) return;
    ASSERT_TRUE(pages.are(*place, length, Pages::parked));
    pages.set(*place, length, Pages::taken);
    blocks[*place] = length;
  }

  void resize() {
    auto& [place, length] = some_block();
    const Bytes wanted = some_length();
    if (wanted <= length) {
      const auto end = room.cut(place, wanted);
      ASSERT_EQ(end.has_value(), wanted < length);
      if (end) {
        ASSERT_EQ(end->place + static_cast<Place>(end->length), place + static_cast<Place>(length));
        room.add_free(*end, 5);
        pages.set(end->place, end->length, Pages::warm);
      }
    } else {
      const Place end = place + static_cast<Place>(length);
      bool is_free = Extents::of(place) == Extents::of(place + static_cast<Place>(wanted) - 1);
      for (Place at = end; is_free && at < place + static_cast<Place>(wanted); at += page) is_free = pages.is_free(at);
      ASSERT_EQ(room.grow(place, wanted), is_free);
      if (!is_free) return;
      pages.set(end, wanted - length, Pages::taken);
    }
    length = wanted;
    ASSERT_EQ(room.length_of(place), wanted);
  }

  void cool() {
    std::array<FileRoom::Piece, 3> pieces;
    const std::size_t count = room.take_warm(100, pieces);
    for (std::size_t k = 0; k < count; ++k) {
      for (Place at = pieces[k].place; at < pieces[k].place + static_cast<Place>(pieces[k].length); at += page)
        ASSERT_TRUE(pages.are(at, page, Pages::warm) || pages.are(at, page, Pages::parked));
      room.add_free(pieces[k]);
      pages.set(pieces[k].place, pieces[k].length, Pages::cold);
    }
  }

  void step() {
    const std::uint64_t kind = random() % 12;
    if (kind > 9) take_parked();
    if (blocks.empty() || (kind < 4 && blocks.size() < 30))
      take(kind == 0);
    else if (kind < 7)
      release(kind == 6 ? 0 : 5);
    else if (kind > 9)
      park();
    else if (kind < 9)
      resize();
    else
      cool();
  }
};

TEST(FileRoom, KeepsAccountOfEachPage) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    Model model(seed);
    for (int step = 0; step < 1000 && !HasFatalFailure(); ++step) {
      model.step();
      ASSERT_EQ(model.room.bytes_taken(), model.pages.count(Pages::taken)) << "seed " << seed;
      ASSERT_EQ(model.room.bytes_warm(), model.pages.count(Pages::warm) + model.pages.count(Pages::parked)) << "seed " << seed;
    }
    // All of it is free again, and joined.
    while (!model.blocks.empty()) model.release(0);
    for (int round = 0; round < 1000; ++round) model.cool();
    for (const Bytes length : {4 * first_extent, 2 * first_extent, first_extent, first_extent})
      EXPECT_TRUE(model.room.take(length, always)) << "seed " << seed;
  }
}

TEST(FileRoom, PrefersWarmPiecesAndAmongThemTheShortest) {
  FileRoom room = room_of_extents(4);
  std::vector<Place> places;
  for (int k = 0; k < 8; ++k) places.push_back(*room.take((k + 1) * page, always));
  for (const std::size_t k : {1u, 3u, 5u}) room.add_free({places[k], room.drop(places[k])}, k == 5 ? 0 : 9);
  EXPECT_EQ(room.bytes_warm(), 6 * page);
  EXPECT_EQ(room.take(3 * page, always), places[3]);  // of 4 pages; the cold one of 6 would fit, too
  EXPECT_EQ(room.take(2 * page, always), places[1]);
  const auto small = room.take(64, always);  // blocks below a page take no warm piece
  EXPECT_EQ(room.bytes_warm(), page);
  EXPECT_NE(*small / page, (places[3] + 3 * page) / page);
}

TEST(FileRoom, ParksTheBlocksThatWereReleasedLast) {
  FileRoom room = room_of_extents(8);
  const Place long_one = *room.take(FileRoom::longest_parked + page, always);
  EXPECT_EQ(room.park(long_one, 1).place, long_one);
  std::vector<Place> places;
  for (int k = 1; k <= 9; ++k) places.push_back(*room.take(k * page, always));
  for (std::size_t k = 0; k < 8; ++k) EXPECT_EQ(room.park(places[k], 1 + static_cast<FileRoom::Milliseconds>(k)).length, 0);
  EXPECT_EQ(room.park(places[8], 9).place, places[0]);  // which was parked longest
  EXPECT_EQ(room.take_parked(9 * page), places[8]);
  EXPECT_FALSE(room.take_parked(9 * page) || room.take_parked(page) || room.take_parked(20 * page));
  std::array<FileRoom::Piece, 9> pieces;
  EXPECT_EQ(room.take_warm(4, pieces), 3u);
  EXPECT_EQ(room.bytes_warm(), (5 + 6 + 7 + 8) * page);
  EXPECT_EQ(room.bytes_taken(), 9 * page);
}

TEST(FileRoom, JoinsOnlyPiecesThatAreAlike) {
  FileRoom room;
  room.add_free({0, first_extent});
  const Place first = *room.take(page, always), second = *room.take(page, always);
  EXPECT_EQ(room.add_free({first, room.drop(first)}, 1).length, page);
  const FileRoom::Piece joined = room.add_free({second, room.drop(second)}, 7);
  EXPECT_EQ(joined.length, 2 * page);
  std::array<FileRoom::Piece, 4> pieces;
  EXPECT_EQ(room.take_warm(6, pieces), 0u);  // the joined piece is as young as its youngest part
  EXPECT_EQ(room.take_warm(7, pieces), 1u);
  EXPECT_EQ(room.add_free(pieces[0]).length, first_extent);
}

TEST(FileRoom, AsksForExtentsThatItMayUse) {
  FileRoom room = room_of_extents(6);
  EXPECT_EQ(Extents::of(*room.take(page, [](std::size_t extent) { return extent == 3; })), 3u);
  EXPECT_FALSE(room.take(2 * first_extent, [](std::size_t extent) { return extent < 2; }));
}

// A block that grows by small steps moves a number of times that is logarithmic in its length, also beside others.
TEST(FileRoom, LeavesRoomToGrow) {
  FileRoom room = room_of_extents(16);
  std::vector<Place> blocks;
  for (int k = 0; k < 5; ++k) blocks.push_back(*room.take(page, always));
  int moves = 0;
  Bytes moved = 0;
  constexpr Bytes longest = 1000 * page;
  for (Bytes length = 2 * page; length <= longest; length += page)
    for (Place& block : blocks)
      if (!room.grow(block, length)) {
        const Place to = *room.take_to_grow(length, always);
        room.add_free({block, room.drop(block)});
        block = to;
        ++moves;
        moved += length;
      }
  EXPECT_LE(moves, 60);
  EXPECT_LE(moved, 5 * 4 * longest);
}

}  // namespace
}  // namespace quadrille
