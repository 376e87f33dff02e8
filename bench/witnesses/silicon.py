# SPDX-License-Identifier: BSD-3-Clause
# Silicon in plane waves with GPAW: prints the energy, the forces and the eigenvalues.
from ase.build import bulk
from ase.parallel import parprint
from gpaw import GPAW, PW

silicon = bulk('Si', 'diamond', a=5.43, cubic=True)
silicon.rattle(stdev=0.02, seed=1)
silicon.calc = GPAW(mode=PW(200), kpts=(2, 2, 1), txt='gpaw.txt', convergence={'energy': 1e-6})
parprint('energy', f'{silicon.get_potential_energy():.8f}')
for force in silicon.get_forces():
    parprint('force', *(f'{x:.5f}' for x in force))
parprint('eigenvalues', *(f'{x:.5f}' for x in silicon.calc.get_eigenvalues(kpt=0)[:16]))
