#!/bin/sh
# Objects that are specified by the list of their operations, as programs: in several units, with
# mistakes of the list, replayed, cut up among workers, enumerated.
name=spec
. tests/try.sh

# shelf NAME FLAG...: the program of two units.
shelf() {
    to=$work/$1
    shift
    $CC -std=c11 -g -I. "$@" tests/spec/main.c tests/spec/shelf.c -DRFI_LINKED "$library" \
        -o "$to" -pthread
}

an_object_and_its_operations_may_lie_in_several_units() {
    shelf right -DWRONG=0 -DCHECKED
    gives 0 shelf "$work/right" --filter=shelf_linearizable
    says shelf "PASS shelf_linearizable: "
}

# refused NUMBER TEXT: one line, when the program starts.
refused() {
    shelf wrong."$1" -DWRONG="$1"
    gives 2 refused."$1" "$work/wrong.$1"
    says refused."$1".err "$2"
    one_line refused."$1".err
}

names_that_do_not_meet_are_refused() {
    refused 1 'shelf.c:18: RF_OPERATION(shelves, take): there is no such RF_OBJECT'
    refused 2 'RF_OPERATION(shelf, put2): RF_ARG is of an argument that it does not have'
    refused 3 'RF_OPERATION(shelf, empty): RF_ARG is of an argument'
    refused 4 'there are two RF_OBJECT(shelf)'
    refused 5 'RF_OBJECT_END(shelves): there is no such RF_OBJECT'
    refused 6 'bare has no RF_OPERATION'
    refused 10 'RF_OPERATION(shelf, look): there is no RF_MODEL_OPERATION with its name and para'
    refused 11 'RF_OPERATION(shelf, put): there is no RF_MODEL_OPERATION with its name and para'
    refused 14 'RF_OPERATION(shelf, push): .key is the number of an argument, from 1'
    refused 7 'shelves: there is no such RF_OBJECT'
}

what_fails_without_other_threads_is_told_as_such() {
    shelf alone -DWRONG=8
    gives 1 alone.out "$work/alone" --filter=shelf_linearizable
    says alone.out "rf_atomic_load(&shelf[0]) == 0: left is"
}

a_state_that_is_not_set_up_is_noticed() {
    shelf state -DWRONG=9
    gives 1 state.out "$work/state" --filter=shelf_linearizable --strategy=random
    says state.out "not linearizable (test shelf_linearizable)"
}

the_report_has_the_table_and_says_why() {
    gives 1 box "$work/right" --filter=box_linearizable
    says box "no order of these calls explains their results:" "    T1              T2" \
        "    fill(1) = true  fill(2) = true" "  the most that one order explains: fill(2);" \
        "    fill(1) of T1 would return false there, not true"
    says box "fill(2) = true" # in the interleaving
    says box "! main.c:"
}

a_model_tells_it_when_a_call_returns() {
    gives 1 early "$work/right" --filter=early_linearizable --shrink=0
    says early "not linearizable (test early_linearizable)" "next() ..."
    lacks early "the end"
    replays "$(token early)" "$work/right" --jobs=1
    says again "would return"
}

what_the_object_holds_is_freed_at_the_end() { lacks box leak; }

a_token_replays_the_scenario() {
    token=$(token box)
    for how in --jobs=1 --backend=threads; do
        replays "$token" "$work/right" $how
        says again "fill(1) of T1 would return false there, not true"
    done
}

the_verdict_is_the_same_however_it_is_run() {
    for how in --jobs=0 --jobs=3 --backend=threads --verify; do
        gives 1 how "$work/right" --filter=box_linearizable $how
        [ "$(token how)" = "$(token box)" ] || { echo "$how: $(token how)"; return 1; }
    done
}

the_scenario_is_made_smaller() {
    gives 1 hands "$work/right" --filter=hands_linearizable --strategy=random --seed=2
    says hands "3 calls of 2 threads; " "move(0, 1)" "move(1, 2)" "look() = 2"
    token=$(token hands)
    for how in --jobs=0 --jobs=3 --backend=threads --verify; do
        gives 1 how "$work/right" --filter=hands_linearizable --strategy=random --seed=2 $how
        [ "$(token how)" = "$token" ] || { echo "$how: $(token how)"; return 1; }
    done
    for how in --jobs=1 --backend=threads; do
        replays "$token" "$work/right" $how
        says again "look() = 2"
    done
    gives 1 found "$work/right" --filter=hands_linearizable --strategy=random --seed=2 --shrink=0
    lacks found " calls of "
}

what_one_thread_does_wrong_is_told_by_its_calls_alone() {
    gives 1 wheel "$work/right" --filter=wheel_linearizable
    says wheel "4 calls of 1 thread; "
    lacks wheel idle
}

# fault OBJECT TEXT: what a report says about calls of one thread.
fault() {
    gives 1 fault."$1" "$work/right" --filter="$1"_linearizable
    says fault."$1" "$2"
}

what_is_wrong_with_an_object_alone_is_said() {
    fault stamp "these calls are made one by one: results depend on what RF_OBJECT does not set up"
    fault floor "these calls are made one by one: the model and the object differ"
    fault guest "enter may wait for others only with .blocks = true"
    says fault.guest "1 call of T0 alone; "
    fault fragile "in rf_op_fragile_touch()"
    lacks box "one by one"
}

what_fails_one_by_one_is_told_wherever_that_is_known_from() {
    gives 1 single "$work/right" --filter=single_linearizable --jobs=2 --executions=300
    says single "these calls fail even if one thread makes them, one by one"
    says single "assertion failed: rf_atomic_load(&entered) == 0: left is 1, right is 0"
    lacks single crash
    for token in $(sed -n 's/.*RF_SEED=\([^ ]*\).*/\1/p' "$work/single"); do
        replays "$token" "$work/right" --jobs=1
        says again "left is 1, right is 0"
    done
}

calls_by_hand_are_a_history() {
    gives 1 hand "$work/right" --filter=by_hand --strategy=random
    says hand "not linearizable (test by_hand)" "    T1              T2" \
        "    fill(7) = true  fill(8) = true"
    replays "$(token hand)" "$work/right" --jobs=1
    says again "would return false there, not true"
    gives 0 one "$work/right" --filter=one_by_hand
}

program_order_by_hand_keeps_what_is_made_alone() {
    for strategy in auto graphs; do
        gives 1 before "$work/right" --filter==alone_before --strategy=$strategy
        says before "not linearizable (test alone_before)"
        gives 1 after "$work/right" --filter==alone_after --strategy=$strategy
        says after "not linearizable (test alone_after)"
        gives 0 never "$work/right" --filter==alone_never --strategy=$strategy
    done
}

calls_by_hand_are_not_made_before_their_turn() {
    for strategy in auto random dfs dpor; do
        for test in slots_in_time slots_quiescent; do
            gives 1 "$test" "$work/right" --filter="=$test" --strategy=$strategy
            says "$test" "not linearizable (test $test)"
            replays "$(token "$test")" "$work/right" --jobs=1
        done
        gives 0 unordered "$work/right" --filter==slots_unordered --strategy=$strategy
    done
}

mistakes_by_hand_are_told() {
    gives 1 misused "$work/right" --filter=misused_by_hand
    says misused "RF_CALL: there is no RF_OPERATION(box, fil)" \
        'RF_CALL("fill"): it has 1 argument, not 0' 'RF_CALL("fill"): it has 1 argument, not 2' \
        "RF_RETURN without RF_CALL" 'RF_CALL("look"): RF_RETURN of look is missing'
    gives 1 open "$work/right" --filter=open_at_the_end
    says open "the calls of box can't be checked: join all threads before the test ends"
    gives 1 nothing "$work/right" --filter=nothing_said
    says nothing 'RF_CALL("fill"): say RF_TEST(nothing_said, .calls = "OBJECT")'
    gives 1 returns "$work/right" --filter=nothing_said_of_returns
    says returns 'RF_RETURN: say RF_TEST(nothing_said_of_returns, .calls = "OBJECT")'
}

# misused OPTION TEXT: an option of a test that is none of it.
misused() {
    shelf misused -DWRONG=0 -DCHECKED -DMISUSED="$1"
    gives 2 misused.out "$work/misused"
    says misused.out.err "misused: $2"
    one_line misused.out.err
}

options_that_say_nothing_are_refused() {
    misused .progress=RF_LOCK_FREE ".threads, .operations, .before, .after, .progress"
    misused .criterion=RF_REAL_TIME ".criterion is an option of RF_LINEARIZABLE"
    shelf bounds -DWRONG=12
    gives 2 bounds.out "$work/bounds"
    says bounds.out.err "a scenario has at most 15 threads"
    shelf steps -DWRONG=13
    gives 2 steps.out "$work/steps"
    says steps.out.err ".own_steps needs .progress = RF_WAIT_FREE"
}

# uncompiled TEXT LINE: the compiler refuses it and says so.
uncompiled() {
    printf '#include "racefuzz.h"\nRF_OBJECT(q) {}\n%s\n' "$2" >"$work/no.c"
    if $CC -std=c11 -I. -c "$work/no.c" -o "$work/no.o" 2>"$work/no.err"; then
        echo "it compiles: $2"
        return 1
    fi
    says no.err "$1"
}

mistakes_of_a_list_are_errors_of_the_compiler() {
    uncompiled "there is no result, say void" 'RF_OPERATION(q, get, (void)) { return 0; }'
    uncompiled "pointer" 'RF_OPERATION(q, put, (char *at), bool) { return at; }'
    uncompiled "is a number, or void" 'RF_OPERATION(q, get, (void), char *) { return 0; }'
    uncompiled "is a number, or void" 'RF_OPERATION(q, get, (void), float _Complex) { return 0; }'
    uncompiled "more than 8 bytes" 'RF_OPERATION(q, get, (void), long double) { return 0; }'
    uncompiled "at_most_four_parameters" \
        'RF_OPERATION(q, put, (int a, int b, int c, int d, int e), bool) { return 0; }'
    uncompiled "arg" 'RF_OPERATION(q, put, (int a), bool, .arg = {RF_ARG(0, 1)}) { return a; }'
}

operations_of_one_thread_need_no_lock() {
    gives 0 owned "$work/right" --filter=owned_linearizable
    says owned "PASS owned_linearizable"
}

small_scenarios_are_enumerated() {
    gives 0 all "$work/right" --filter=owned_linearizable --strategy=dpor --executions=100000
    says all "dpor: all " "scenarios: all 90 up to 2 threads with 2 calls each are proved"
    gives 0 some "$work/right" --filter=owned_linearizable --strategy=dpor --executions=50
    says some "of 90 up to 2 threads with 2 calls each were run; " " are proved under"
    gives 0 sc "$work/right" --filter=owned_linearizable --memory=sc --strategy=graphs \
        --executions=50
    says sc " are proved under"
    for how in --jobs=0 --jobs=3; do
        gives 0 how "$work/right" --filter=owned_linearizable --strategy=dpor --executions=50 $how
        says how "$(grep scenarios: "$work/some")"
    done
    kept="--filter=owned_linearizable --strategy=dpor --campaign=$work/pieces"
    for piece in 30 30 100000; do
        gives 0 "piece.$piece" "$work/right" $kept --executions=$piece
    done
    says piece.30 "of 90 up to 2 threads with 2 calls each were run this time; "
    says piece.100000 "scenarios: all 90 up to 2 threads with 2 calls each are proved"
    gives 0 merge "$work/right" --filter=owned_linearizable --merge "$work/pieces"
    lacks merge scenarios:
    gives 0 drawn "$work/right" --filter=owned_linearizable --strategy=random
    says drawn " of 90 up to 2 threads with 2 calls each were run"
    lacks drawn proved
    gives 1 found "$work/right" --filter=box_linearizable --strategy=dpor --executions=20000
}

progress_that_no_explorer_tries_is_said_not_to_be() {
    for how in graphs dpor dfs bounded; do
        gives 0 shut "$work/right" --filter=shut_linearizable --strategy=$how
        says shut "not tried: progress where threads"
        lacks shut "no failure is possible"
        grep -q "proved" "$work/shut" || continue
        says shut "are proved, but for progress"
    done
    gives 1 shut "$work/right" --filter=shut_linearizable --strategy=random,graphs
    says shut "not obstruction-free: add() of T"
    lacks shut "not tried"
}

# library NAME FLAG...: the program of code that is hooked and instrumented, and of a test file.
library() {
    made=$work/$1 hooked=$(engine_for gcc -O0 -DRF_HOOK_ALL -DRF_HOOK_COMPILER)
    shift
    gcc -g -fsanitize=thread -include racefuzz.h -DRF_HOOK_ALL -I. "$@" -c tests/spec/library.c \
        -o "$made.o"
    gcc -g -I. tests/spec/unedited.c "$made.o" "$hooked" -o "$made" -pthread
}

the_most_steps_of_a_call_have_their_schedule() {
    for how in --jobs=1 --jobs=0 --jobs=3; do
        gives 0 most "$work/right" --filter=tried_linearizable $how
        most=$(sed -n 's/.*wait freedom: a call takes up to \([0-9]*\) steps.*/\1/p' "$work/most")
        [ "${most:-0}" -gt 3 ] # by two threads alone it has three
        seed=$(token most)
        [ "$seed" = "${first=$seed}" ]
    done
    gives 0 schedule env RF_SEED="$seed" "$work/right" --jobs=1
    lacks schedule note:
    [ "$(grep -c 'tried -> [0-9]*, exchange fails' "$work/schedule")" -ge $((most - 2)) ]
    "$work/right" --filter=tried_linearizable --format=json >"$work/json" || return 1
    says json "\"own_steps_token\":\"$seed\""
}

unedited_code_is_checked_from_a_test_file() {
    library broken
    gives 1 broken.out "$work/broken" --filter=library_linearizable --executions=500 \
        --shrink=0
    says broken.out "not linearizable (test library_linearizable)"
    library mended -DFIXED
    gives 0 mended.out "$work/mended" --executions=500
    says mended.out "PASS library_linearizable"
}

try_all
summary
