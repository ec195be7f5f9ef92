# Runs each seed of seeds/regressions.txt twice: nothing is found any more, and the same seed is the same run.
# cmake -DSIMULATION=PROGRAM -DSEEDS=FILE -P regressions.cmake
function(run seed years faults answer)
    execute_process(
        COMMAND ${SIMULATION} SEED=${seed} YEARS=${years} FAULTS=${faults}
        OUTPUT_VARIABLE told ERROR_VARIABLE told RESULT_VARIABLE code)
    if(NOT code EQUAL 0)
        message(FATAL_ERROR "SEED=${seed} YEARS=${years} FAULTS=${faults}:\n${told}")
    endif()
    set(${answer} "${told}" PARENT_SCOPE)
endfunction()

file(STRINGS ${SEEDS} lines REGEX "^[0-9]")
list(LENGTH lines count)
if(count EQUAL 0)
    message(FATAL_ERROR "${SEEDS} has no seeds")
endif()
foreach(line IN LISTS lines)
    string(REPLACE " " ";" of_run "${line}")
    run(${of_run} told)
    run(${of_run} told_again)
    if(NOT told STREQUAL told_again)
        message(FATAL_ERROR "${line} is not the same run twice:\n${told}\n${told_again}")
    endif()
endforeach()
