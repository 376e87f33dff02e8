# SPDX-License-Identifier: BSD-3-Clause
# Sourced by programs.sh and witnesses.sh: how to run Debian's programs and the kernels of kernels.c, and what to compare of their
# results. The caller sets `mpi` and `inputs` (this folder), and defines launch MPI RANKS COMMAND...
declare -A packages=([pw]="quantum-espresso quantum-espresso-data" [pwcell]="quantum-espresso quantum-espresso-data"
                    [fftw]="libfftw3-mpi-dev libfftw3-dev" [lammps]=lammps [gromacs]=gromacs [hpcc]=hpcc)
declare -A usual_ranks=([pw]=4 [pwcell]=4 [fftw]=8 [lammps]=4 [gromacs]=4 [hpcc]=4)
# The largest relative difference that numbers of the results may have. gromacs sums in single precision. In gromacs and lammps the
# paths of atoms diverge within some hundred steps once one bit differs.
declare -A tolerances=([pw]=1e-7 [pwcell]=1e-7 [fftw]=1e-12 [lammps]=1e-6 [gromacs]=1e-3 [hpcc]=0)

is_kernel() { [[ $1 =~ ^(pencils|sort|sparse|gradients|allgather|broadcast|alltoall)-[1-9][0-9]*-[1-9][0-9]*$ ]]; }

# Functions of each program X: prepare_X makes its input in the current folder. run_X RANKS [WRAP...] runs it there. result_X
# prints the results to be compared. also_X, where it exists, prints the name and seconds of a second figure.

prepare_pw() { prepare_silicon si.in; }
prepare_pwcell() { prepare_silicon si2.in; }
prepare_silicon() {
  cp "$inputs/$1" si.in
  zcat -f /usr/share/doc/quantum-espresso/examples/EPW/sic/pp/Si.pz-vbc.UPF* >Si.pz-vbc.UPF
}
run_pw() { launch "$mpi" "$1" "${@:2}" pw.x -in si.in >out.txt; }
result_pw() { grep -E '^!|^ +atom +[0-9]+ type|Total force =|^ +-?[0-9]+\.[0-9]{4} +-?[0-9]+\.[0-9]{4}' out.txt; }

run_pwcell() { run_pw "$@"; }
result_pwcell() { result_pw; }

prepare_fftw() { mpicc.openmpi -O2 -o fft_alltoall "$inputs/fft_alltoall.c" -lfftw3_mpi -lfftw3 -lm; }
run_fftw() { launch "$mpi" "$1" "${@:2}" ./fft_alltoall 64 200 >out.txt; }
result_fftw() { grep '^result' out.txt; }
also_fftw() { awk '/^planned_s/ {print "fftw-transforms", $4}' out.txt; }

prepare_lammps() { cp "$inputs/lj.in" .; }
run_lammps() { launch "$mpi" "$1" "${@:2}" lmp -in lj.in -log none >out.txt; }
result_lammps() { sed -n '/^Step/,/^Loop/{/^Loop/d;p}' out.txt; }

prepare_gromacs() {
  cp "$inputs/water.top" "$inputs"/*.mdp .
  gmx solvate -cs spc216.gro -box 3 3 3 -o packed.gro -p water.top &&
    gmx grompp -f minimise.mdp -c packed.gro -p water.top -o minimise.tpr &&
    gmx mdrun -s minimise.tpr -deffnm minimised -ntmpi 1 -ntomp 1 &&
    gmx grompp -f run.mdp -c minimised.gro -p water.top -o run.tpr
}
run_gromacs() { launch "$mpi" "$1" "${@:2}" gmx_mpi mdrun -s run.tpr -ntomp 1 -reprod -npme $(($1 / 2)) -deffnm run >out.txt 2>&1; }
result_gromacs() {
  printf '%s\n' Potential Kinetic-En. Total-Energy '' | gmx energy -f run.edr -dp -o energy.xvg >/dev/null 2>&1
  grep -v '^[#@]' energy.xvg
}

prepare_hpcc() { sed 's/^1000 /600 /' /usr/share/doc/hpcc/examples/_hpccinf.txt >hpccinf.txt; }
run_hpcc() { rm -f hpccoutf.txt && launch "$mpi" "$1" "${@:2}" hpcc; }
# Compares only the checks of hpcc; the rest of its output is times. A line "CPU" is printed only if it took measurable time.
result_hpcc() { grep -v '^CPU' hpccoutf.txt | grep -oE '^(Success|CommWorldProcs|MPIRandomAccess.*_Errors|PTRANS_n|HPL_N)=.*|PASSED|FAILED'; }

prepare_kernel() { "mpicc.$mpi" -O2 -o kernels "$inputs/kernels.c"; }
run_kernel() {  # run_kernel NAME RANKS [WRAP..]
  local name bytes iterations
  IFS=- read -r name bytes iterations <<<"$1"
  launch "$mpi" "$2" "${@:3}" "$PWD/kernels" "$name" "$bytes" "$iterations" >out.txt
}
result_kernel() { grep '^result' out.txt; }
also_kernel() { awk -v name="${1%-*}-loop" '/^seconds/ {print name, $2}' out.txt; }
