# SPDX-License-Identifier: BSD-3-Clause
# h5py on parallel HDF5: all ranks write rows of tables together and read columns. Usage: tables.py TABLES SIDE
import sys

import h5py
import numpy as np
from mpi4py import MPI

tables, side = int(sys.argv[1]), int(sys.argv[2])
world = MPI.COMM_WORLD
share = side // world.size
mine = slice(world.rank * share, (world.rank + 1) * share)
with h5py.File('tables.h5', 'w', driver='mpio', comm=world) as file:
    for k in range(tables):
        table = file.create_dataset(f'table{k}', (side, side), dtype=float)
        with table.collective:
            table[mine, :] = (np.arange(share * side).reshape(share, side) + world.rank * share * side) % 977 + k
        file.flush()
        world.Barrier()  # MPI makes what other ranks have written visible only so
        with table.collective:
            columns = table[:, mine]
        sums = world.gather(float(np.sum(columns * (np.arange(columns.size).reshape(columns.shape) % 13))))
        if world.rank == 0:
            print('result', k, *sums)
