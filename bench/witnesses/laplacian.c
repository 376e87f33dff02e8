// SPDX-License-Identifier: BSD-3-Clause
// The eight largest eigenvalues of the Laplacian on a grid of SIDE x SIDE points, with SLEPc. Usage: laplacian SIDE
#include <slepceps.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  SlepcInitialize(&argc, &argv, NULL, NULL);
  const PetscInt side = argc > 1 ? atoi(argv[1]) : 100;
  PetscInt first, end, found;
  Mat matrix;
  EPS solver;
  PetscScalar value;
  MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, side * side, side * side, 5, NULL, 2, NULL, &matrix);
  MatGetOwnershipRange(matrix, &first, &end);
  for (PetscInt i = first; i < end; ++i) {
    if (i >= side) MatSetValue(matrix, i, i - side, -1, INSERT_VALUES);
    if (i % side > 0) MatSetValue(matrix, i, i - 1, -1, INSERT_VALUES);
    if (i % side < side - 1) MatSetValue(matrix, i, i + 1, -1, INSERT_VALUES);
    if (i + side < side * side) MatSetValue(matrix, i, i + side, -1, INSERT_VALUES);
    MatSetValue(matrix, i, i, 4, INSERT_VALUES);
  }
  MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY);
  MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY);
  EPSCreate(PETSC_COMM_WORLD, &solver);
  EPSSetOperators(solver, matrix, NULL);
  EPSSetProblemType(solver, EPS_HEP);
  EPSSetDimensions(solver, 8, PETSC_DEFAULT, PETSC_DEFAULT);
  EPSSetTolerances(solver, 1e-9, 10000);
  EPSSolve(solver);
  EPSGetConverged(solver, &found);
  for (PetscInt i = 0; i < found && i < 8; ++i) {
    EPSGetEigenvalue(solver, i, &value, NULL);
    PetscPrintf(PETSC_COMM_WORLD, "result %.8f\n", (double)PetscRealPart(value));
  }
  EPSDestroy(&solver);
  MatDestroy(&matrix);
  SlepcFinalize();
}
