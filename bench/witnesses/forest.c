// SPDX-License-Identifier: BSD-3-Clause
// A forest of quadtrees with p4est, refined towards a circle that moves: refine, balance, partition, ghosts, and the numbers of nodes,
// in each step. Usage: forest STEPS LEVEL
#include <p4est_bits.h>
#include <p4est_extended.h>
#include <p4est_ghost.h>
#include <p4est_lnodes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int step, level;

static double distance(p4est_t* forest, p4est_topidx_t tree, p4est_quadrant_t* quadrant) {
  double place[3];
  p4est_qcoord_to_vertex(forest->connectivity, tree, quadrant->x, quadrant->y, place);
  return fabs(hypot(place[0] - 0.02 * step, place[1]) - 0.7);
}
static int is_near(p4est_t* forest, p4est_topidx_t tree, p4est_quadrant_t* quadrant) {
  return quadrant->level < level && distance(forest, tree, quadrant) < 2.0 / (1 << quadrant->level);
}
static int is_far(p4est_t* forest, p4est_topidx_t tree, p4est_quadrant_t** family) {
  return family[0]->level > 2 && distance(forest, tree, family[0]) > 4.0 / (1 << family[0]->level);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  sc_init(MPI_COMM_WORLD, 0, 0, NULL, SC_LP_ERROR);
  p4est_init(NULL, SC_LP_ERROR);
  if (argc != 3) MPI_Abort(MPI_COMM_WORLD, 2);
  const int steps = atoi(argv[1]);
  level = atoi(argv[2]);
  p4est_connectivity_t* trees = p4est_connectivity_new_disk(0, 0);
  p4est_t* forest = p4est_new_ext(MPI_COMM_WORLD, trees, 0, 3, 1, 0, NULL, NULL);
  for (step = 0; step < steps; ++step) {
    p4est_coarsen(forest, 1, is_far, NULL);
    p4est_refine(forest, 1, is_near, NULL);
    p4est_balance(forest, P4EST_CONNECT_FULL, NULL);
    p4est_partition(forest, 0, NULL);
    p4est_ghost_t* ghost = p4est_ghost_new(forest, P4EST_CONNECT_FULL);
    p4est_lnodes_t* nodes = p4est_lnodes_new(forest, ghost, 1);
    long counts[3] = {(long)ghost->ghosts.elem_count, nodes->owned_count, p4est_checksum(forest)}, sums[3];
    MPI_Reduce(counts, sums, 3, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (forest->mpirank == 0) printf("result %d %ld %ld %ld %ld\n", step, (long)forest->global_num_quadrants, sums[0], sums[1], sums[2]);
    p4est_lnodes_destroy(nodes);
    p4est_ghost_destroy(ghost);
  }
  p4est_destroy(forest);
  p4est_connectivity_destroy(trees);
  sc_finalize();
  MPI_Finalize();
}
