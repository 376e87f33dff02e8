# SPDX-License-Identifier: BSD-3-Clause
# mpi4py-fft: transforms a field in pencils forward and back. Usage: transforms.py SIDE TIMES
import sys

import numpy as np
from mpi4py import MPI
from mpi4py_fft import PFFT, newDistArray

side, times = int(sys.argv[1]), int(sys.argv[2])
fft = PFFT(MPI.COMM_WORLD, (side,) * 3, grid=(2, -1), dtype=float)
field, back = newDistArray(fft, False), newDistArray(fft, False)
first = sum(slice_.start * 31 ** axis for axis, slice_ in enumerate(field.local_slice()))
field[:] = np.cos(np.arange(field.size).reshape(field.shape) % 97 + first)
for _ in range(times):
    waves = fft.forward(field)
    fft.backward(waves, back)
    total = MPI.COMM_WORLD.allreduce(float(np.sum(np.abs(waves) ** 2)))
    error = MPI.COMM_WORLD.allreduce(float(np.max(np.abs(back - field))), MPI.MAX)
if MPI.COMM_WORLD.rank == 0:
    print('result', f'{total:.10g}', error < 1e-12)
