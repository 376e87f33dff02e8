/* SPDX-License-Identifier: BSD-3-Clause
   neighbours ROUNDS: the collectives of neighbours on grids and graphs, and alltoallw, with other counts in each round, with gaps
   and derived types; all ranks meet in barriers of MPI_COMM_WORLD. Blocks name their senders. So the first call of a function on
   a communicator tells which block of which rank arrives where, and all other calls must do the same. Prints on which
   communicators that is not what the standard says. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wstringop-overread" /* MPI_UNWEIGHTED is no address of weights */

enum { most_blocks = 64, long_units = 3000, nothing = -7 };
enum { allgather, allgatherv, alltoall, alltoallv, alltoallw, functions };
static const char* const names[] = {"Neighbor_allgather", "Neighbor_allgatherv", "Neighbor_alltoall", "Neighbor_alltoallv",
                                    "Neighbor_alltoallw"};

typedef struct {
  int blocks, ranks[most_blocks]; /* with whom; MPI_PROC_NULL beyond a border */
} Edges;

typedef struct {
  MPI_Comm comm;
  Edges out, in;
  int part;                         /* ranks of other parts have other sizes */
  int from[functions][most_blocks]; /* which block of its sender arrives as which one */
  int standard[most_blocks];
} Topology;

static int bad, me, size, round_now;

/* With blocks so long that they are not copied twice. Both MPI libraries mistake their lengths if types differ. */
static int is_long(void) { return round_now % 5 == 4; }

static MPI_Datatype wide; /* an int, and a gap of two */

static void expect(int good, const char* what, MPI_Comm comm) {
  char name[MPI_MAX_OBJECT_NAME];
  int length;
  if (good || bad++ >= 5) return;
  MPI_Comm_get_name(comm, name, &length);
  printf("rank %d, round %d: %s on %s is wrong\n", me, round_now, what, name);
}

static unsigned hash(unsigned a, unsigned b, unsigned c, unsigned d) {
  unsigned h = a * 2654435761u + b * 40503u + c * 69069u + d * 97u + 12345u;
  h ^= h >> 15, h *= 2246822519u, h ^= h >> 13;
  return h & 0x7fffffff;
}

static int units_of(int function, int rank, int block, int part) {
  const int some = (int)hash((unsigned)round_now, (unsigned)function, 0, (unsigned)part + 9) % (is_long() ? long_units : 6);
  if (function == allgather || function == alltoall) return some;
  if (function == allgatherv) block = 0;
  return (int)hash((unsigned)round_now, (unsigned)rank + 77, (unsigned)block, 3) % (some + 1);
}

static int value(int rank, int block, int unit) {
  return (int)hash((unsigned)rank, (unsigned)block, (unsigned)unit, (unsigned)round_now);
}

/* One side of a call: blocks at places that leave gaps. In a row: without gaps, and all blocks of the same length. */
typedef struct {
  int *memory, ints, counts[most_blocks], places[most_blocks];
  MPI_Aint bytes[most_blocks];
  MPI_Datatype types[most_blocks];
} Memory;

static int step_of(MPI_Datatype type) { return type == wide ? 3 : 1; }

static void lay_out(Memory* to, int blocks, const int* units, int in_row, int gaps) {
  int i, next = gaps;
  for (i = 0; i < blocks; ++i) {
    to->counts[i] = units[i];
    to->places[i] = next / step_of(to->types[i]);
    if (gaps) to->places[i] += 1;
    to->bytes[i] = (MPI_Aint)sizeof(int) * to->places[i] * step_of(to->types[i]);
    next = (to->places[i] + units[i]) * step_of(to->types[i]) + (in_row ? 0 : 1);
  }
  to->ints = next + 1;
  to->memory = malloc(sizeof(int) * (size_t)to->ints);
  for (i = 0; i < to->ints; ++i) to->memory[i] = nothing;
}

static int* at(const Memory* in, int block, int unit) {
  const int step = step_of(in->types[block]);
  return in->memory + (in->bytes[block] / (MPI_Aint)sizeof(int)) + unit * step;
}

#define CALL(S, C, D)                                                                                                       \
  {                                                                                                                         \
    C n[most_blocks], m[most_blocks];                                                                                       \
    D a[most_blocks], b[most_blocks];                                                                                       \
    const MPI_Datatype t = out.types[0], u = in.types[0];                                                                   \
    for (i = 0; i < most_blocks; ++i) n[i] = out.counts[i], m[i] = in.counts[i], a[i] = out.places[i], b[i] = in.places[i]; \
    if (function == allgather)                                                                                              \
      MPI_Neighbor_allgather##S(out.memory, n[0], t, in.memory, m[0], u, on->comm);                                         \
    else if (function == allgatherv)                                                                                        \
      MPI_Neighbor_allgatherv##S(out.memory, n[0], t, in.memory, m, b, u, on->comm);                                        \
    else if (function == alltoall)                                                                                          \
      MPI_Neighbor_alltoall##S(out.memory, n[0], t, in.memory, m[0], u, on->comm);                                          \
    else if (function == alltoallv)                                                                                         \
      MPI_Neighbor_alltoallv##S(out.memory, n, a, t, in.memory, m, b, u, on->comm);                                         \
    else                                                                                                                    \
      MPI_Neighbor_alltoallw##S(out.memory, n, out.bytes, out.types, in.memory, m, in.bytes, in.types, on->comm);           \
  }

/* Requires that from[function] is known, unless `learns`: then each block has two ints, its sender and its number. */
static void call(Topology* on, int function, int learns) {
  const int gathers = function <= allgatherv, in_row_out = function < alltoallv,
            in_row_in = function == allgather || function == alltoall;
  Memory out, in;
  int units[most_blocks], i, k;
  for (i = 0; i < most_blocks; ++i) {
    const int own = function == alltoallw ? i : 0, plain = learns || is_long();
    out.types[i] = plain || (me + own) % 3 ? MPI_INT : wide;
    in.types[i] = plain || (me + own) % 2 ? MPI_INT : wide;
    out.counts[i] = in.counts[i] = out.places[i] = in.places[i] = 0;
  }
  units[0] = units_of(function, me, 0, on->part);
  for (i = 0; i < on->out.blocks; ++i) units[i] = learns ? 2 : units_of(function, me, i, on->part);
  if (learns) units[0] = 2;
  lay_out(&out, gathers ? 1 : on->out.blocks, units, in_row_out, in_row_out ? 0 : 2);
  if (!gathers && on->out.blocks == 0) out.counts[0] = units[0];
  units[0] = learns ? 2 : units_of(function, me, 0, on->part);
  for (i = 0; i < on->in.blocks; ++i) {
    const int peer = on->in.ranks[i];
    units[i] = learns ? 2 : units_of(function, peer, peer == MPI_PROC_NULL ? 0 : on->from[function][i], on->part);
  }
  lay_out(&in, on->in.blocks, units, in_row_in, in_row_in ? 0 : 1);
  if (on->in.blocks == 0) in.counts[0] = units[0];
  for (i = 0; i < (gathers ? 1 : on->out.blocks); ++i)
    for (k = 0; k < out.counts[i]; ++k) *at(&out, i, k) = learns ? (k ? i : me) : value(me, i, k);
#if MPI_VERSION >= 4
  /* MPICH 4.0.2 takes other counts where the numbers of sources and targets differ, but not with MPI_Count. */
  if (round_now % 3 == 2 || (function == alltoallw && on->in.blocks != on->out.blocks))
    CALL(_c, MPI_Count, MPI_Aint)
  else
#endif
    CALL(, int, int) for (i = 0; i < on->in.blocks; ++i) {
      const int peer = on->in.ranks[i];
      for (k = 0; peer != MPI_PROC_NULL && k < in.counts[i]; ++k) {
        int* const got = at(&in, i, k);
        if (!learns)
          expect(*got == value(peer, on->from[function][i], k), names[function], on->comm);
        else if (k == 0)
          expect(*got == peer, names[function], on->comm);
        else
          on->from[function][i] = *got;
        *got = nothing;
      }
    }
  for (i = 0; i < in.ints; ++i) expect(in.memory[i] == nothing, names[function], on->comm);
  free(out.memory), free(in.memory);
}

static void learn(Topology* on) {
  int function, i, differs[functions] = {0}, differ[functions], length;
  char name[MPI_MAX_OBJECT_NAME];
  for (function = 0; function < functions; ++function) {
    call(on, function, 1);
    for (i = 0; i < on->in.blocks && function > allgatherv; ++i)
      differs[function] |= on->in.ranks[i] != MPI_PROC_NULL && on->from[function][i] != on->standard[i];
  }
  MPI_Allreduce(differs, differ, functions, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Comm_get_name(on->comm, name, &length);
  for (function = 0; function < functions && me == 0; ++function)
    if (differ[function]) printf("otherwise: %s %s\n", name, names[function]);
}

static Topology grid(const char* name, int dimensions, const int* sizes, const int* closed) {
  Topology made = {0};
  int d;
  MPI_Cart_create(MPI_COMM_WORLD, dimensions, sizes, closed, 0, &made.comm);
  MPI_Comm_set_name(made.comm, name);
  made.in.blocks = made.out.blocks = 2 * dimensions;
  for (d = 0; d < dimensions; ++d) {
    MPI_Cart_shift(made.comm, d, 1, &made.in.ranks[2 * d], &made.in.ranks[2 * d + 1]);
    made.standard[2 * d] = 2 * d + 1, made.standard[2 * d + 1] = 2 * d;
  }
  made.out = made.in;
  return made;
}

static int edges_of(int from, int to, int most) { return (int)hash((unsigned)from, (unsigned)to, 5, 6) % (most + 1); }

/* A graph with up to `most` edges from one rank to another. A rank lists them by turns: one to each rank, then the second ones.
 */
static Topology graph(const char* name, int most) {
  Topology made = {0};
  int turn, by, i;
  for (turn = 0; turn < most; ++turn)
    for (by = 0; by < size; ++by) {
      const int to = (me + by) % size, from = (me + 2 * size - by - 1) % size;
      if (edges_of(me, to, most) > turn) made.out.ranks[made.out.blocks++] = to;
      if (edges_of(from, me, most) > turn) {
        for (i = 0, made.standard[made.in.blocks] = 0; i < size * turn; ++i) /* the sender's earlier turns */
          made.standard[made.in.blocks] += edges_of(from, (from + i) % size, most) > i / size;
        for (i = 0; (from + i) % size != me; ++i) made.standard[made.in.blocks] += edges_of(from, (from + i) % size, most) > turn;
        made.in.ranks[made.in.blocks++] = from;
      }
    }
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, made.in.blocks, made.in.ranks, MPI_UNWEIGHTED, made.out.blocks, made.out.ranks,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made.comm);
  MPI_Comm_set_name(made.comm, name);
  return made;
}

/* Ranks 2 k and 2 k + 1 exchange, and know nothing of the sizes of others. */
static Topology pairs(void) {
  Topology made = {0};
  const int other = me ^ 1, has = other < size;
  made.part = me / 2;
  made.in.blocks = has, made.in.ranks[0] = other;
  made.out = made.in;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, has, &other, MPI_UNWEIGHTED, has, &other, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &made.comm);
  MPI_Comm_set_name(made.comm, "pairs");
  return made;
}

/* The old kind of graph: a star whose rays are double. */
static Topology star(void) {
  Topology made = {0};
  int ends[64], edges[256], i;
  for (i = 0; i < 2 * (size - 1); ++i) edges[i] = 1 + i % (size - 1), edges[2 * (size - 1) + i] = 0;
  for (i = 0; i < size; ++i) ends[i] = 2 * (size - 1) + 2 * i;
  MPI_Graph_create(MPI_COMM_WORLD, size, ends, edges, 0, &made.comm);
  MPI_Comm_set_name(made.comm, "star");
  made.in.blocks = me ? 2 : 2 * (size - 1);
  for (i = 0; i < made.in.blocks; ++i) {
    made.in.ranks[i] = me ? 0 : 1 + i % (size - 1);
    made.standard[i] = me ? me - 1 + i * (size - 1) : i / (size - 1);
  }
  made.out = made.in;
  return made;
}

/* Lengths are those of the pair in place, because there a received block replaces the one that was sent. */
static int units_between(int from, int to, int in_place) {
  if (in_place && from > to) return units_between(to, from, 1);
  return (int)hash((unsigned)round_now, (unsigned)from, (unsigned)to, 1) % (is_long() ? long_units : 6);
}

static void all_to_all(int in_place) {
  Memory out, in;
  int units[most_blocks], i, k;
  for (i = 0; i < size; ++i) units[i] = units_between(i, me, in_place), in.types[i] = is_long() || (me + i) % 3 ? MPI_INT : wide;
  lay_out(&in, size, units, 0, 2);
  for (i = 0; i < size; ++i)
    units[i] = units_between(me, i, in_place), out.types[i] = in_place ? in.types[i] : is_long() || (me + i) % 2 ? MPI_INT : wide;
  lay_out(&out, size, units, 0, 2);
  for (i = 0; i < size; ++i)
    for (k = 0; k < out.counts[i]; ++k) *at(in_place ? &in : &out, i, k) = value(me, i, k);
#if MPI_VERSION >= 4
  if (round_now % 3 == 2) {
    MPI_Count n[most_blocks], m[most_blocks];
    for (i = 0; i < size; ++i) n[i] = out.counts[i], m[i] = in.counts[i];
    MPI_Alltoallw_c(in_place ? MPI_IN_PLACE : out.memory, n, out.bytes, out.types, in.memory, m, in.bytes, in.types,
                    MPI_COMM_WORLD);
  } else
#endif
  {
    int a[most_blocks], b[most_blocks];
    for (i = 0; i < size; ++i) a[i] = (int)out.bytes[i], b[i] = (int)in.bytes[i];
    MPI_Alltoallw(in_place ? MPI_IN_PLACE : out.memory, out.counts, a, out.types, in.memory, in.counts, b, in.types,
                  MPI_COMM_WORLD);
  }
  for (i = 0; i < size; ++i)
    for (k = 0; k < in.counts[i]; ++k)
      expect(*at(&in, i, k) == value(i, me, k), "Alltoallw", MPI_COMM_WORLD), *at(&in, i, k) = nothing;
  for (i = 0; i < in.ints; ++i) expect(in.memory[i] == nothing, "what lies between the blocks", MPI_COMM_WORLD);
  free(out.memory), free(in.memory);
}

int main(int argc, char** argv) {
  const int open[] = {0, 0, 0}, closed[] = {1, 1, 1}, open_closed[] = {0, 1}, halves = argc > 1 ? 2 : 1;
  int line[3], i, function, all = 0, rounds, count = 0;
  MPI_Datatype one_of_three;
  Topology on[10];
  if (argc < 2) return 2;
  rounds = atoi(argv[1]);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Type_contiguous(1, MPI_INT, &one_of_three);
  MPI_Type_create_resized(one_of_three, 0, 3 * sizeof(int), &wide);
  MPI_Type_commit(&wide);
  line[0] = size, line[1] = line[2] = 1;
  on[count++] = grid("ring", 1, line, closed);
  on[count++] = grid("line", 1, line, open);
  on[count++] = grid("ring of rings of one", 2, line, closed);
  on[count++] = grid("two closed dimensions of one", 3, line, closed);
  line[0] = 1, line[1] = size;
  on[count++] = grid("open and closed", 2, line, open_closed);
  if (size % halves == 0) {
    line[0] = halves, line[1] = size / halves;
    on[count++] = grid("torus", 2, line, closed);
  }
  on[count++] = graph("graph", 1);
  on[count++] = graph("graph with repeats", 3);
  on[count++] = pairs();
  on[count++] = star();
  for (i = 0; i < count; ++i) learn(&on[i]);
  for (round_now = 0; round_now < rounds; ++round_now) {
    for (i = 0; i < count; ++i)
      for (function = 0; function < functions; ++function) call(&on[i], function, 0), call(&on[i], function, 0);
    all_to_all(0), all_to_all(1);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  for (i = 0; i < count; ++i) MPI_Comm_free(&on[i].comm);
  MPI_Type_free(&one_of_three), MPI_Type_free(&wide);
  MPI_Reduce(&bad, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (me == 0) puts(all ? "wrong" : "all as expected");
  MPI_Finalize();
  return bad ? 1 : 0;
}
