/* SPDX-License-Identifier: BSD-3-Clause */
/* All pairs of a predefined operator and a predefined type that MPI allows: reductions give the same bits as the MPI library's own,
   also in the gaps of a type, which nobody writes. Values are such that the order of operands does not matter. Prints how many pairs
   there are, and the names of those that this MPI library does not have. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { count = 37, most_bytes = 64, calls = 4 };

/* What an element is made of: a number, a pair of two numbers (complex numbers, too), or a number and an int. */
#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 Quad;
#else
typedef long double Quad;
#endif
typedef enum { whole, real32, real64, long_real, quad } Kind;
typedef enum { single, twice, with_int } Form;

/* The operators of a group of types: MPI 4.0, section 6.9.2. */
#define ARITHMETIC "MAX MIN SUM PROD "
#define LOGICAL "LAND LOR LXOR "
#define BITS "BAND BOR BXOR "

typedef struct {
  const char* name;
  MPI_Datatype type;
  Kind kind;
  Form form;
  const char* operators;
} Row;

static int me, n, bad, pairs;

static void put(Kind kind, size_t bytes, char* place, int value) {
  const float f = (float)value;
  const double d = value;
  const long double l = value;
  const Quad q = value;
  memset(place, 0, bytes);
  if (kind == whole) place[0] = (char)value; /* little-endian */
  if (kind == real32) memcpy(place, &f, sizeof f);
  if (kind == real64) memcpy(place, &d, sizeof d);
  if (kind == long_real) memcpy(place, &l, 10);
  if (kind == quad) memcpy(place, &q, sizeof q);
}

/* Fills the elements of one rank; their gaps have another pattern. Numbers are 0, 1 or 2, or only 0 and 1. */
static void fill(const Row* row, size_t extent, size_t bytes, char* elements, int gap) {
  const int most = strstr(row->operators, "PROD") || strstr(row->operators, "BAND") ? 3 : 2;
  int i;
  memset(elements, gap, count * extent);
  for (i = 0; i < count; ++i) {
    char* const place = elements + i * (long)extent;
    const int value = (me * 7 + i * 5 + me * i) % most;
    const size_t first = row->form == with_int ? bytes - sizeof(int) : row->form == twice ? bytes / 2 : bytes;
    MPI_Aint lower, wide;
    put(row->kind, first, place, value);
    if (row->form == twice) put(row->kind, first, place + first, me);
    if (row->form == with_int) {
      MPI_Type_get_true_extent(row->type, &lower, &wide);
      put(whole, sizeof(int), place + wide - (long)sizeof(int), me);
    }
  }
}

static void compare(const Row* row, const char* operator_name, MPI_Op op) {
  static char in[count * most_bytes], ours[count * most_bytes], vendors[count * most_bytes];
  MPI_Aint lower, extent;
  int bytes, call, wrong = 0;
  MPI_Type_get_extent(row->type, &lower, &extent);
  MPI_Type_size(row->type, &bytes);
  if (extent > most_bytes || extent <= 0) return;
  fill(row, (size_t)extent, (size_t)bytes, in, 0x5a);
  memset(vendors, 0x33, sizeof vendors);
  if (PMPI_Allreduce(in, vendors, count, row->type, op, MPI_COMM_WORLD) != MPI_SUCCESS) {
    if (me == 0) printf("not in this MPI: %s of %s\n", operator_name, row->name);
    return;
  }
  ++pairs;
  for (call = 0; call < calls; ++call) {
    memset(ours, 0x33, sizeof ours);
    wrong |= MPI_Allreduce(in, ours, count, row->type, op, MPI_COMM_WORLD) != MPI_SUCCESS;
    wrong |= memcmp(ours, vendors, (size_t)extent * count) != 0;
  }
  PMPI_Scan(in, vendors, count, row->type, op, MPI_COMM_WORLD);
  for (call = 0; call < calls; ++call) {
    memset(ours, 0x33, sizeof ours);
    MPI_Barrier(MPI_COMM_WORLD); /* calls that may be ours follow one that synchronises */
    wrong |= MPI_Scan(in, ours, count, row->type, op, MPI_COMM_WORLD) != MPI_SUCCESS;
    wrong |= memcmp(ours, vendors, (size_t)extent * count) != 0;
  }
  if (wrong && bad++ < 20) printf("rank %d: %s of %s differs\n", me, operator_name, row->name);
}

int main(int argc, char** argv) {
#define ROW(type, kind, form, operators) {#type, MPI_##type, kind, form, operators}
#define C_INTEGER(type) ROW(type, whole, single, ARITHMETIC LOGICAL BITS)
#define FORTRAN_INTEGER(type) ROW(type, whole, single, ARITHMETIC BITS)
#define LOCATED(type, kind, form) ROW(type, kind, form, "MINLOC MAXLOC ")
  const Row rows[] = {
      C_INTEGER(INT), C_INTEGER(LONG), C_INTEGER(SHORT), C_INTEGER(UNSIGNED_SHORT), C_INTEGER(UNSIGNED), C_INTEGER(UNSIGNED_LONG),
      C_INTEGER(LONG_LONG_INT), C_INTEGER(LONG_LONG), C_INTEGER(UNSIGNED_LONG_LONG), C_INTEGER(SIGNED_CHAR),
      C_INTEGER(UNSIGNED_CHAR), C_INTEGER(INT8_T), C_INTEGER(INT16_T), C_INTEGER(INT32_T), C_INTEGER(INT64_T), C_INTEGER(UINT8_T),
      C_INTEGER(UINT16_T), C_INTEGER(UINT32_T), C_INTEGER(UINT64_T), FORTRAN_INTEGER(INTEGER), FORTRAN_INTEGER(INTEGER1),
      FORTRAN_INTEGER(INTEGER2), FORTRAN_INTEGER(INTEGER4), FORTRAN_INTEGER(INTEGER8), FORTRAN_INTEGER(AINT),
      FORTRAN_INTEGER(OFFSET), FORTRAN_INTEGER(COUNT), ROW(BYTE, whole, single, BITS), ROW(FLOAT, real32, single, ARITHMETIC),
      ROW(DOUBLE, real64, single, ARITHMETIC), ROW(REAL, real32, single, ARITHMETIC),
      ROW(DOUBLE_PRECISION, real64, single, ARITHMETIC), ROW(REAL4, real32, single, ARITHMETIC),
      ROW(REAL8, real64, single, ARITHMETIC), ROW(LONG_DOUBLE, long_real, single, ARITHMETIC),
#ifdef MPI_REAL16
      ROW(REAL16, quad, single, ARITHMETIC),
#endif
#ifdef MPI_COMPLEX32
      ROW(COMPLEX32, quad, twice, "SUM PROD "),
#endif
#ifdef MPI_INTEGER16
      FORTRAN_INTEGER(INTEGER16),
#endif
#ifdef MPI_LOGICAL1
      ROW(LOGICAL1, whole, single, LOGICAL),
#endif
#ifdef MPI_LOGICAL2
      ROW(LOGICAL2, whole, single, LOGICAL),
#endif
#ifdef MPI_LOGICAL4
      ROW(LOGICAL4, whole, single, LOGICAL),
#endif
#ifdef MPI_LOGICAL8
      ROW(LOGICAL8, whole, single, LOGICAL),
#endif
      ROW(LOGICAL, whole, single, LOGICAL), ROW(C_BOOL, whole, single, LOGICAL), ROW(CXX_BOOL, whole, single, LOGICAL),
      ROW(COMPLEX, real32, twice, "SUM PROD "), ROW(DOUBLE_COMPLEX, real64, twice, "SUM PROD "),
      ROW(COMPLEX8, real32, twice, "SUM PROD "), ROW(COMPLEX16, real64, twice, "SUM PROD "),
      ROW(C_COMPLEX, real32, twice, "SUM PROD "), ROW(C_FLOAT_COMPLEX, real32, twice, "SUM PROD "),
      ROW(C_DOUBLE_COMPLEX, real64, twice, "SUM PROD "), ROW(C_LONG_DOUBLE_COMPLEX, long_real, twice, "SUM PROD "),
      ROW(CXX_FLOAT_COMPLEX, real32, twice, "SUM PROD "), ROW(CXX_DOUBLE_COMPLEX, real64, twice, "SUM PROD "),
      ROW(CXX_LONG_DOUBLE_COMPLEX, long_real, twice, "SUM PROD "), LOCATED(FLOAT_INT, real32, with_int),
      LOCATED(DOUBLE_INT, real64, with_int), LOCATED(LONG_INT, whole, with_int), LOCATED(2INT, whole, with_int),
      LOCATED(SHORT_INT, whole, with_int), LOCATED(LONG_DOUBLE_INT, long_real, with_int), LOCATED(2REAL, real32, twice),
      LOCATED(2DOUBLE_PRECISION, real64, twice), LOCATED(2INTEGER, whole, twice)};
  size_t i, k;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const struct {
    const char* name;
    MPI_Op op;
  } operators[] = {{"MAX ", MPI_MAX},   {"MIN ", MPI_MIN}, {"SUM ", MPI_SUM},   {"PROD ", MPI_PROD}, {"LAND ", MPI_LAND},     {"LOR ", MPI_LOR},
                   {"LXOR ", MPI_LXOR}, {"BAND ", MPI_BAND}, {"BOR ", MPI_BOR}, {"BXOR ", MPI_BXOR}, {"MINLOC ", MPI_MINLOC}, {"MAXLOC ", MPI_MAXLOC}};
  for (i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    if (rows[i].type == MPI_DATATYPE_NULL) {
      if (me == 0) printf("not in this MPI: %s\n", rows[i].name);
      continue;
    }
    for (k = 0; k < sizeof operators / sizeof operators[0]; ++k)
      if (strstr(rows[i].operators, operators[k].name)) compare(&rows[i], operators[k].name, operators[k].op);
  }
  if (me == 0) printf("%d pairs\n", pairs);
  MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0 && bad == 0) puts("all as expected");
  MPI_Finalize();
  return bad != 0;
}
