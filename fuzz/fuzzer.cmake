# oddtile_fuzzer(<name> SOURCES <files> [SEEDS <folder of corpus/seeds>] [MUST_CRASH])
#
# One fuzz target: a source that defines LLVMFuzzerTestOneInput (fuzz/targets/*.cc).
#   with ODDTILE_FUZZ      the libFuzzer program fuzz_<name>, and ctest fuzz.<name> (label fuzz):
#                          60 s from the seeds, which encode_seeds has turned into bytes
#   in an ordinary build   the program replay_fuzz_<name>, the same body under a main function that
#                          replays files, and ctest replay.fuzz_<name>.sim over the committed seeds
# Both fail when no case was checked or no element judged. fuzz.<name>.counts (label fuzz) is the
# proof for libFuzzer: the program without a run, which must be refused.
# MUST_CRASH: a canary; it has to be found within a second, and only exists with ODDTILE_FUZZ.
function(oddtile_fuzzer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "MUST_CRASH" "SEEDS" "SOURCES")
  if(ODDTILE_FUZZ)
    oddtile_libfuzzer(${name} "${arg_SEEDS}" "${arg_MUST_CRASH}" ${arg_SOURCES})
  elseif(NOT arg_MUST_CRASH)
    add_executable(replay_fuzz_${name} ${arg_SOURCES} replay_main.cc)
    target_link_libraries(replay_fuzz_${name} PRIVATE fuzz_body)
    add_test(NAME replay.fuzz_${name}.sim COMMAND replay_fuzz_${name}
      ${PROJECT_SOURCE_DIR}/corpus/seeds/${arg_SEEDS}
      ${PROJECT_SOURCE_DIR}/corpus/regressions/${arg_SEEDS})
    set_tests_properties(replay.fuzz_${name}.sim PROPERTIES LABELS "replay;sim" TIMEOUT 300)
  endif()
endfunction()

function(oddtile_libfuzzer name seeds must_crash)
  add_executable(fuzz_${name} ${ARGN})
  oddtile_fuzzed(fuzz_${name})
  target_link_libraries(fuzz_${name} PRIVATE fuzz_body)
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  if(must_crash)
    add_test(NAME fuzz.${name} COMMAND fuzz_${name} -max_total_time=1 -artifact_prefix=canary-)
    set_tests_properties(fuzz.${name} PROPERTIES LABELS fuzz TIMEOUT 30
      PASS_REGULAR_EXPRESSION "case 'vector_add .*': canary is not reachable")
    return()
  endif()
  set(nothing_checked "oddtile: 0 cases checked|[^0-9]0 elements judged")
  set(grown ${CMAKE_CURRENT_BINARY_DIR}/corpus/${seeds})
  set(encoded ${CMAKE_CURRENT_BINARY_DIR}/seeds/${seeds})
  file(MAKE_DIRECTORY ${grown} ${encoded})
  add_test(NAME fuzz.${name}.seeds COMMAND encode_seeds ${encoded}
    ${PROJECT_SOURCE_DIR}/corpus/seeds/${seeds} ${PROJECT_SOURCE_DIR}/corpus/regressions/${seeds})
  set_tests_properties(fuzz.${name}.seeds PROPERTIES LABELS fuzz FIXTURES_SETUP seeds_${name})
  add_test(NAME fuzz.${name} COMMAND fuzz_${name} -max_total_time=60 -timeout=60
    -rss_limit_mb=4096 -print_final_stats=1 ${grown} ${encoded})
  set_tests_properties(fuzz.${name} PROPERTIES LABELS fuzz FIXTURES_REQUIRED seeds_${name}
    TIMEOUT 300 FAIL_REGULAR_EXPRESSION "${nothing_checked}")
  add_test(NAME fuzz.${name}.counts COMMAND fuzz_${name} -help=1)
  set_tests_properties(fuzz.${name}.counts PROPERTIES LABELS fuzz WILL_FAIL ON
    FAIL_REGULAR_EXPRESSION "${nothing_checked}")
endfunction()
