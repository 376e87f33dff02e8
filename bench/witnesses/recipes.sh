# SPDX-License-Identifier: BSD-3-Clause
# Sourced by witnesses.sh after ../programs/recipes.sh: the witnesses, and how to run those that are not in ../programs/recipes.sh.
# The caller sets `mpi`, `inputs` (../programs) and `witness_inputs` (this folder), and defines launch MPI RANKS COMMAND...

declare -A mpis_of=() says=() compared=()
order=()
witness() {  # witness NAME MPIS RANKS TOLERANCE PACKAGES WHAT COMPARED: a row of the table. MPI in PACKAGES stands for the MPI's name
  order+=("$1")
  mpis_of[$1]=$2 usual_ranks[$1]=$3 tolerances[$1]=$4 packages[$1]=$5 says[$1]=$6 compared[$1]=$7
}
petsc="libpetsc-real-dev libpetsc3.18-dev-examples"
witness pw openmpi 4 1e-7 "${packages[pw]}" 'Quantum ESPRESSO: pw.x, 8 atoms of silicon' 'energy, forces, eigenvalues'
witness cp2k openmpi 4 1e-7 'cp2k cp2k-data' 'CP2K: molecular dynamics of a molecule of water' 'energies of all steps'
witness nwchem openmpi 4 1e-7 'nwchem-openmpi nwchem-data' 'NWChem: Hartree-Fock gradient of water' 'energy, gradient'
witness gpaw openmpi 4 1e-4 'gpaw gpaw-data' 'GPAW: silicon in plane waves' 'energy, forces, eigenvalues'
witness abinit openmpi 4 1e-7 'abinit abinit-data' 'ABINIT: silicon, 60 k-points' 'energies of all iterations, the last ones to 8 digits'
witness bagel mpich 4 1e-7 bagel 'BAGEL: Hartree-Fock gradient of water' 'energies, gradient'
witness lammps openmpi 4 1e-6 lammps 'LAMMPS: Lennard-Jones liquid, 16,384 atoms' 'temperature, energies, pressure'
witness gromacs openmpi 4 1e-3 gromacs 'GROMACS: water with particle mesh Ewald' 'energies of all frames'
witness openfoam openmpi 4 1e-6 'openfoam openfoam-examples' 'OpenFOAM: icoFoam, cavity' 'residuals and continuity errors of all steps'
witness meep openmpi 4 1e-7 meep-openmpi 'Meep: a bent waveguide' 'flux at 20 frequencies'
witness mpb openmpi 4 1e-5 mpb-mpi 'MPB: bands of a photonic crystal' 'frequencies of all bands'
witness examl openmpi 4 1e-6 examl 'ExaML: search for the tree of 49 species' 'likelihoods'
witness hpcc openmpi 4 0 hpcc 'HPC Challenge, N = 600' "the program's own checks"
witness scalapack 'openmpi mpich' 4 0 scalapack-mpi-test "ScaLAPACK's testers of LU and QR" "the testers' own checks"
witness elpa openmpi 4 1e-8 'libelpa-dev libscalapack-openmpi-dev pkg-config' 'ELPA: all eigenvectors by two stages' 'eigenvalues'
witness petsc openmpi 4 1e-7 "$petsc" "PETSc's example snes/ex19: driven cavity, multigrid" 'residuals of all iterations'
witness hypre openmpi 4 1e-7 "$petsc" "HYPRE's BoomerAMG in PETSc's example ksp/ex2" 'residuals of all iterations'
witness mumps openmpi 4 1e-7 "$petsc" "MUMPS in PETSc's example ksp/ex2" 'error of the solution'
witness slepc openmpi 4 1e-7 libslepc-real3.18-dev 'SLEPc: eigenvalues of a Laplacian' 'eigenvalues'
witness superlu openmpi 4 1e-9 libsuperlu-dist-dev "SuperLU_DIST's example pddrive on big.rua" 'error of the solution'
witness p4est openmpi 4 0 libp4est-dev 'p4est: a forest that follows a circle' 'quadrants, ghosts, nodes, checksums'
witness fftw openmpi 4 1e-12 "${packages[fftw]}" 'FFTW-MPI, 64^3' 'sums of the transform'
witness transforms openmpi 4 1e-9 python3-mpi4py-fft 'mpi4py-fft in pencils, 48^3' 'sums of the transform'
witness hdf5 'openmpi mpich' 4 0 libhdf5-MPI-dev 'parallel HDF5: collective writes and reads' 'sums of what was read'
witness h5py openmpi 4 0 'python3-h5py-mpi python3-mpi4py' 'h5py on parallel HDF5' 'sums of what was read'
witness pnetcdf openmpi 4 0 libpnetcdf-dev 'PnetCDF: collective and waiting writes, reads' 'sums of what was read'

start_witness() { launch "$mpi" "$@" >out.txt; }  # start_witness RANKS [WRAP..] COMMAND..
compile() { "mpicc.$mpi" -O2 -o "$1" "$witness_inputs/$1.c" "${@:2}"; }  # compile NAME FLAGS..

prepare_cp2k() { sed 's/STEPS 5/STEPS 4/' /usr/share/doc/cp2k/examples/H2O.inp >water.inp; }
run_cp2k() { CP2K_DATA_DIR=/usr/share/cp2k start_witness "$@" cp2k.psmp -i water.inp; }
result_cp2k() { awk '!/^#/ {print $1, $2, $3, $4, $5, $6}' H2O_OT-1.ener; rm -f H2O_OT*; }

prepare_nwchem() { cp "$witness_inputs/water.nw" .; }
run_nwchem() { rm -f water.movecs water.db && start_witness "$@" nwchem.openmpi water.nw; }
result_nwchem() { grep -E 'Total SCF energy|^ +[0-9]+ [OH] +-?[0-9]' out.txt; }

prepare_gpaw() { cp "$witness_inputs/silicon.py" .; }
run_gpaw() { start_witness "$@" /usr/bin/python3 /usr/bin/gpaw python silicon.py; }
result_gpaw() { grep -E '^(energy|force|eigenvalues) ' out.txt; }

prepare_abinit() { cp "$witness_inputs/silicon.abi" .; }
run_abinit() { rm -f silicon.abo* silicono_* && start_witness "$@" abinit silicon.abi; }
result_abinit() { awk '$1 == "ETOT" {printf "%s %.8f\n", $2, $3}' out.txt; }

prepare_bagel() { cp "$witness_inputs/water.json" .; }
run_bagel() { start_witness "$@" BAGEL water.json; }
result_bagel() { grep -E '^ +[0-9]+ +-?[0-9]+\.[0-9]{8}|^ +[xyz] +-?[0-9]+\.[0-9]+' out.txt | awk '{print $1, $2}'; }

prepare_openfoam() {
  export WM_PROJECT_DIR=/usr/share/openfoam  # its settings are there; without it, programs end
  rm -rf 0 constant system && cp -r /usr/share/doc/openfoam-examples/examples/incompressible/icoFoam/cavity/cavity/* . &&
    sed -i 's/(20 20 1)/(60 60 1)/' system/blockMeshDict &&
    sed -i 's/^deltaT .*/deltaT 0.001;/; s/^endTime .*/endTime 0.1;/; s/^writeInterval .*/writeInterval 1000;/' system/controlDict &&
    printf 'FoamFile { version 2.0; format ascii; class dictionary; object decomposeParDict; }\nnumberOfSubdomains 4;\nmethod simple;\nsimpleCoeffs { n (2 2 1); delta 0.001; }\n' >system/decomposeParDict &&
    rm -rf processor* && blockMesh && decomposePar
}
run_openfoam() { WM_PROJECT_DIR=/usr/share/openfoam start_witness "$@" icoFoam -parallel; }
result_openfoam() { grep -E 'Solving for|continuity errors' out.txt | tr ',:' '  '; }

prepare_meep() { cp "$witness_inputs/guide.ctl" .; }
run_meep() { start_witness "$@" meep guide.ctl; }
result_meep() { grep '^flux1:' out.txt | tr ',' ' '; }

prepare_mpb() { cp "$witness_inputs/bands.ctl" .; }
run_mpb() { start_witness "$@" mpb-mpi bands.ctl; }
result_mpb() { grep '^tmfreqs:' out.txt | tr ',' ' '; }

prepare_examl() {
  zcat /usr/share/doc/examl/testData/49.gz >49 && cp /usr/share/doc/examl/testData/49.tree . && rm -f RAxML_info.49 &&
    parse-examl -s 49 -m DNA -n 49
}
run_examl() { rm -f ExaML_*.run && start_witness "$@" /usr/lib/examl/bin/examl-sse3 -s 49.binary -t 49.tree -m GAMMA -n run -f E; }
result_examl() { grep -iE 'likelihood' ExaML_info.run | grep -oE -- '-[0-9]+\.[0-9]+'; }

prepare_scalapack() { cp /usr/share/scalapack/{LU,QR}.dat .; }
run_scalapack() {
  local tester
  for tester in xdlu xdqr; do
    launch "$mpi" "$@" "/usr/lib/x86_64-linux-gnu/scalapack/$mpi-tests/$tester" >"$tester.txt" || return
  done
}
result_scalapack() {  # the sizes of each test and its verdict, without times and residuals
  awk '/THRESH/ {next} /^WALL/ {print $2, $3, $4, $5, /PASSED/ ? "PASSED" : "FAILED"; next} / tests (completed|skipped)/' xd*.txt
}

prepare_elpa() { compile eigenvalues $(pkg-config --cflags --libs elpa) -lscalapack-openmpi -llapack -lm; }
run_elpa() { start_witness "$@" ./eigenvalues 400 3; }
result_elpa() { grep '^result' out.txt; }

petsc_examples=/usr/share/petsc/3.18/share/petsc/examples/src
prepare_petsc() { mpicc.openmpi -O2 -o ex19 $petsc_examples/snes/tutorials/ex19.c $(pkg-config --cflags --libs PETSc) -lm; }
run_petsc() { start_witness "$@" ./ex19 -da_refine 4 -pc_type mg -ksp_type fgmres -snes_monitor; }
result_petsc() { grep 'SNES' out.txt; }
prepare_hypre() { mpicc.openmpi -O2 -o ex2 $petsc_examples/ksp/ksp/tutorials/ex2.c $(pkg-config --cflags --libs PETSc) -lm; }
run_hypre() { start_witness "$@" ./ex2 -m 300 -n 300 -pc_type hypre -pc_hypre_type boomeramg -ksp_monitor -ksp_rtol 1e-9; }
result_hypre() { grep -E 'KSP Residual|Norm of error' out.txt; }
prepare_mumps() { prepare_hypre; }
run_mumps() { start_witness "$@" ./ex2 -m 250 -n 250 -pc_type lu -pc_factor_mat_solver_type mumps -ksp_type preonly; }
result_mumps() { grep 'Norm of error' out.txt; }
prepare_slepc() { compile laplacian $(pkg-config --cflags --libs SLEPc PETSc) -lm; }
run_slepc() { start_witness "$@" ./laplacian 100; }
result_slepc() { grep '^result' out.txt; }

superlu=/usr/lib/x86_64-linux-gnu/superlu-dist/tests/EXAMPLE
prepare_superlu() { cp $superlu/big.rua .; }
run_superlu() { start_witness "$@" $superlu/pddrive -r 2 -c 2 big.rua; }
result_superlu() { grep -E 'Sol +[0-9]+:' out.txt; }

prepare_p4est() { compile forest -lp4est -lsc -lm; }
run_p4est() { start_witness "$@" ./forest 60 7; }
result_p4est() { grep '^result' out.txt; }

prepare_transforms() { cp "$witness_inputs/transforms.py" .; }
run_transforms() { start_witness "$@" /usr/bin/python3 transforms.py 48 100; }
result_transforms() { grep '^result' out.txt; }

prepare_hdf5() { HDF5_CC=mpicc.$mpi HDF5_CLINKER=mpicc.$mpi "h5pcc.$mpi" -O2 -o datasets "$witness_inputs/datasets.c"; }
run_hdf5() { start_witness "$@" ./datasets 40 400; }
result_hdf5() { grep '^result' out.txt; }

prepare_h5py() { cp "$witness_inputs/tables.py" .; }
run_h5py() { start_witness "$@" /usr/bin/python3 tables.py 40 400; }
result_h5py() { grep '^result' out.txt; }

prepare_pnetcdf() { compile variables -lpnetcdf -lm; }
run_pnetcdf() { start_witness "$@" ./variables 40 400; }
result_pnetcdf() { grep '^result' out.txt; }
