# Man pages and what shells complete, made by a program that is linked with the
# command's table of options, so that neither can miss one.
set(pages_folder ${PROJECT_BINARY_DIR}/pages)
file(MAKE_DIRECTORY ${pages_folder})
set(manual_names dae.1)
foreach(name run check init orders stability test show fmt explain)
  list(APPEND manual_names dae-${name}.1)
endforeach()
list(TRANSFORM manual_names PREPEND ${pages_folder}/ OUTPUT_VARIABLE manual_pages)
set(completions ${pages_folder}/dae.bash ${pages_folder}/_dae ${pages_folder}/dae.fish)

add_executable(dae_pages tools/pages/pages.c tools/dae/options.c)
dae_flags(dae_pages)
target_include_directories(dae_pages PRIVATE tools/dae)
target_link_libraries(dae_pages PRIVATE dae::lang dae::solver)
add_custom_command(OUTPUT ${manual_pages} ${completions}
  COMMAND dae_pages ${pages_folder} DEPENDS dae_pages
  COMMENT "man pages, completions" VERBATIM)

# Readers take them as they are or compressed; Debian wants the latter.
find_program(GZIP gzip)
mark_as_advanced(GZIP)
set(installed_pages ${manual_pages})
if(GZIP)
  list(TRANSFORM manual_pages APPEND .gz OUTPUT_VARIABLE installed_pages)
  add_custom_command(OUTPUT ${installed_pages}
    COMMAND ${GZIP} -9nkf ${manual_pages} DEPENDS ${manual_pages} VERBATIM)
endif()
add_custom_target(dae_documents ALL DEPENDS ${installed_pages} ${completions})
