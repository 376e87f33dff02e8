# The package: command, library, plug-ins, headers, and what find_package and pkg-config need. It may be moved as a whole.
include(CMakePackageConfigHelpers)
set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/quadrille)

install(TARGETS quadrille_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS quadrille EXPORT quadrille-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/quadrille DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${machines} DESTINATION ${CMAKE_INSTALL_LIBDIR}/quadrille/machines)

install(EXPORT quadrille-targets NAMESPACE quadrille:: DESTINATION ${package_directory})
configure_package_config_file(cmake/quadrille-config.cmake.in quadrille-config.cmake INSTALL_DESTINATION ${package_directory})
write_basic_package_version_file(quadrille-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/quadrille-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/quadrille-config-version.cmake
        DESTINATION ${package_directory})

file(RELATIVE_PATH up_to_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" up_to_prefix ${up_to_prefix})
configure_file(cmake/quadrille.pc.in quadrille.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/quadrille.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# bash completion, printed by the command itself.
add_custom_command(OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/quadrille.bash COMMAND quadrille_command completion bash > quadrille.bash
                   DEPENDS quadrille_command VERBATIM)
add_custom_target(quadrille_completion ALL DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/quadrille.bash)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/quadrille.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        RENAME quadrille)
