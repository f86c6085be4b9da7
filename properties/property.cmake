# oddtile_property(<name> SOURCES <files> [IMPLEMENTATIONS <fused> <eager>] [MACHINES <sim> <cuda>]
#                  [CASES <count>] [ARGUMENTS <more>] [REPLAY <folder of corpus/seeds>]
#                  [TIMEOUT <seconds>])
#
# One suite: a GoogleTest program property_<name> around properties/suites/suite.cc, registered as
# property.<name>.<machine> for the implementation `fused` and property.<name>_<other>.<machine>
# for another; with REPLAY also as replay.<name>.<machine>, the corpus through the same body. A
# suite of a machine that is absent is skipped (exit code 77), and skipped.<machine> says why.
# Running no test is a failure. Settable: RC_PARAMS="seed=1 max_success=500 noshrink=1".
find_package(rapidcheck REQUIRED)

function(oddtile_property name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "CASES;REPLAY;TIMEOUT"
    "SOURCES;IMPLEMENTATIONS;MACHINES;ARGUMENTS")
  if(NOT arg_IMPLEMENTATIONS)
    set(arg_IMPLEMENTATIONS fused)
  endif()
  if(NOT arg_MACHINES)
    set(arg_MACHINES sim cuda)
  endif()
  if(NOT arg_CASES)
    set(arg_CASES 100)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  add_executable(property_${name} ${arg_SOURCES})
  target_link_libraries(property_${name} PRIVATE properties_suite)
  foreach(machine ${arg_MACHINES})
    set(common --machine ${machine} --cases ${arg_CASES} --corpus ${PROJECT_SOURCE_DIR}/corpus
      ${arg_ARGUMENTS})
    foreach(implementation ${arg_IMPLEMENTATIONS})
      set(suffix _${implementation})
      if(implementation STREQUAL fused)
        set(suffix "")
      endif()
      oddtile_property_test(property.${name}${suffix}.${machine} ${machine} ${arg_TIMEOUT}
        property_${name} ${common} --implementation ${implementation} --gtest_filter=-replay.*)
    endforeach()
    if(arg_REPLAY)
      oddtile_property_test(replay.${name}.${machine} ${machine} ${arg_TIMEOUT}
        property_${name} ${common} --replay ${arg_REPLAY} --gtest_filter=replay.*)
    endif()
  endforeach()
endfunction()

# oddtile_property_test(<test> <machine> <timeout> <command>...)   registers one run of a suite.
function(oddtile_property_test test machine timeout)
  add_test(NAME ${test} COMMAND ${ARGN} --name ${test})
  set_tests_properties(${test} PROPERTIES
    LABELS "property;${machine}" TIMEOUT ${timeout} SKIP_RETURN_CODE 77
    FAIL_REGULAR_EXPRESSION "Running 0 tests")
  if(machine STREQUAL cuda)
    set_tests_properties(${test} PROPERTIES RESOURCE_LOCK cuda)
  endif()
endfunction()
