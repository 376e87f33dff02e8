# Reads from the table of MPI libraries the ids of those that have plug-ins: quadrille_mpi_libraries.
set(quadrille_mpi_table ${PROJECT_SOURCE_DIR}/include/quadrille/mpi_libraries.def)
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${quadrille_mpi_table})
file(STRINGS ${quadrille_mpi_table} quadrille_mpi_libraries REGEX "^QUADRILLE_MPI_ROW\\(")
list(TRANSFORM quadrille_mpi_libraries REPLACE "^QUADRILLE_MPI_ROW\\(([a-z0-9_]+),.*" "\\1")
