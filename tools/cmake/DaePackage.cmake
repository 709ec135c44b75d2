# Debian packages by cpack, configured by the preset `package` and made by
# tools/dev/package.sh: the command, the shared libraries (with what breaks them in the
# name, so that two versions can be installed at once), what is needed to build against them.
set(library_package libdae${DAE_SOVERSION})
set(release 1)
set(same_version "(= ${PROJECT_VERSION}-${release})")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME dae)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_DEBIAN_PACKAGE_RELEASE ${release})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_COMPONENTS_ALL command library development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(DAE_MAINTAINER "Daedal maintainers <maintainers@daedal.invalid>" CACHE STRING
  "Who answers for the Debian packages")
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${DAE_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# Libraries that are loaded when they are needed are seen by no linker: the packages
# that have them tell which one it is.
set(loaded_packages)
function(dae_package_of soname)
  if(NOT soname MATCHES "([^/]*)\\.so\\.([0-9]+)$")
    return()
  endif()
  set(line "^${CMAKE_MATCH_1} ${CMAKE_MATCH_2} ")
  file(GLOB tables /var/lib/dpkg/info/*.shlibs)
  foreach(table IN LISTS tables)
    file(STRINGS ${table} found REGEX "${line}" LIMIT_COUNT 1)
    if(found)
      string(REGEX REPLACE "${line}" "" found "${found}")
      list(APPEND loaded_packages "${found}")
      set(loaded_packages "${loaded_packages}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "no installed package says that it has ${soname}")
endfunction()
dae_package_of("${DAE_LAPACK_LIBRARY}")
if(DAE_UMFPACK)
  dae_package_of("${DAE_UMFPACK_LIBRARY}")
endif()
list(JOIN loaded_packages ", " loaded_packages)

# The first line of each description is its own: cpack puts a summary of all before it,
# unless that is the one which it has by itself.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${CMAKE_PROJECT_NAME} built using CMake")
set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME dae)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION math)
set(CPACK_DEBIAN_COMMAND_PACKAGE_DEPENDS "${library_package} ${same_version}")
set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS "gnuplot-nox | gnuplot")
set(CPACK_DEBIAN_COMMAND_DESCRIPTION "solver for differential-algebraic equations
Compiles models written as equations, finds their index, hidden constraints
and consistent initial values, and integrates them, events included.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${library_package})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "${loaded_packages}")
# what Debian wants beside the scripts that cpack makes
file(WRITE ${PROJECT_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/triggers)
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION
  "solver for differential-algebraic equations (libraries)
The integrator for problems given as functions, and the compiler of models
that the command dae is made of.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libdae-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${library_package} ${same_version}")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
  "solver for differential-algebraic equations (development)
Headers, a CMake package, files for pkg-config and examples.")

# Each has its copyright, the changes of the package and those of the program. The
# dates are those of the last commit, so that equal sources make equal packages.
find_program(GIT git)
find_program(DATE date)
mark_as_advanced(GIT DATE)
set(seconds "$ENV{SOURCE_DATE_EPOCH}")
if(NOT seconds AND GIT)
  execute_process(COMMAND ${GIT} log -1 --format=%ct
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE seconds
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT seconds)
  set(seconds 0)
endif()
execute_process(COMMAND ${DATE} -u -R -d @${seconds} OUTPUT_VARIABLE date
  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set(documents_folder ${PROJECT_BINARY_DIR}/debian)
configure_file(tools/cmake/debian/copyright.in ${documents_folder}/copyright @ONLY)
configure_file(tools/cmake/debian/changelog.in ${documents_folder}/changelog.Debian @ONLY)
configure_file(CHANGELOG.md ${documents_folder}/changelog COPYONLY)
execute_process(COMMAND ${GZIP} -9nkf changelog changelog.Debian
  WORKING_DIRECTORY ${documents_folder} COMMAND_ERROR_IS_FATAL ANY)
foreach(part COMMAND LIBRARY DEVELOPMENT)
  string(TOLOWER ${part} component)
  install(FILES ${documents_folder}/copyright ${documents_folder}/changelog.gz
    ${documents_folder}/changelog.Debian.gz COMPONENT ${component}
    DESTINATION share/doc/${CPACK_DEBIAN_${part}_PACKAGE_NAME})
endforeach()
include(CPack)
