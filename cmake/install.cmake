# Installs the package: command, library, plug-ins, headers, files for find_package and pkg-config, shell completion, and
# documentation. The installed package can be moved as a whole. The target quadrille_installed builds all of its files.
include(CMakePackageConfigHelpers)
set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/quadrille)

install(TARGETS quadrille_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS quadrille_on_demand RUNTIME DESTINATION libexec/quadrille)  # the command looks for it there
install(TARGETS quadrille EXPORT quadrille-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/quadrille DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${machines} DESTINATION ${CMAKE_INSTALL_LIBDIR}/quadrille/machines)
install(FILES viewer/dist/viewer.html DESTINATION ${CMAKE_INSTALL_LIBDIR}/quadrille)
install(FILES ${browser_verifier} DESTINATION ${CMAKE_INSTALL_LIBDIR}/quadrille OPTIONAL)

install(EXPORT quadrille-targets NAMESPACE quadrille:: DESTINATION ${package_directory})
configure_package_config_file(cmake/quadrille-config.cmake.in quadrille-config.cmake INSTALL_DESTINATION ${package_directory})
write_basic_package_version_file(quadrille-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/quadrille-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/quadrille-config-version.cmake
        DESTINATION ${package_directory})

file(RELATIVE_PATH up_to_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" up_to_prefix ${up_to_prefix})
# quadrille_pkg_config(NAME LANGUAGES LIBRARIES FLAGS): NAME.pc, for programs in these languages.
function(quadrille_pkg_config name languages libraries flags)
  configure_file(cmake/quadrille.pc.in ${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
quadrille_pkg_config(quadrille "C++" "-lquadrille" "-std=c++20")
quadrille_pkg_config(quadrille-c "C and Fortran" "-lquadrille" "")
quadrille_pkg_config(quadrille-heap "any language" "-Wl,--no-as-needed -lquadrille-heap -lquadrille" "")
foreach(mpi ${quadrille_mpi_libraries})
  if(TARGET quadrille_face_${mpi})
    quadrille_pkg_config(quadrille-${mpi} "C and Fortran, over ${mpi}" "-lquadrille-${mpi} -lquadrille" "")
  endif()
endforeach()

# Completion for shells and the manual page, printed by the command when it was built (tools/CMakeLists.txt).
set(printed ${PROJECT_BINARY_DIR}/printed)
install(FILES ${printed}/quadrille.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME quadrille)
install(FILES ${printed}/quadrille.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES ${printed}/quadrille.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _quadrille)
install(FILES ${printed}/quadrille.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

# Installed in the same folders as in the tree, so that links between the documents work.
install(FILES README.md LICENSE CHANGELOG.md CONTRIBUTING.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
