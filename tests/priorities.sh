#!/bin/sh
# Fixed priorities on so many cores: only schedules that such a machine has are explored; unbounded
# priority inversion is found, and mutexes that inherit mend it.
name=priorities
. tests/try.sh
compile "-O1 -Wall -Wextra -Wpedantic" priorities priorities || exit 1
engine "$CC"
unedited "$CC" tests/hook/ranks.c "$work/$CC.o" -O1 -fsanitize=thread || exit 1
cd "$work" || exit 1

inversion_is_found_and_inheritance_mends_it() {
    gives 1 said ./priorities --cores=1 =pathfinder --executions=1000 "$@"
    says said "deadline missed" "more than 20, in the section that T3, of priority 3, began" \
        "now T2, of priority 2, runs" "for mutex bus, held by T1"
    gives 1 again ./priorities --seed="$(token said)"
    says again "now T2, of priority 2, runs"
    gives 1 other ./priorities --seed="$(token said)" --backend=threads
    diff again other
    gives 0 said ./priorities --cores=1 =pathfinder_fixed --executions=1000 "$@"
}

only_feasible_schedules_are_explored() {
    for strategy in auto random pct pos surw dfs; do
        gives 0 said ./priorities --cores=1 =one_after_the_other --strategy=$strategy
    done
    says said "dfs: 1 schedule"
    gives 1 said ./priorities --cores=2 =one_after_the_other
    says said "assertion failed"
    gives 1 said ./priorities =one_after_the_other
}

deadlines_count_on_cores_only() { gives 0 said ./priorities =pathfinder; }

dpor_refuses_priorities() {
    gives 1 said ./priorities --cores=1 --strategy=dpor =one_after_the_other
    says said "dpor does not know priorities: RF_STRATEGY=dfs has all schedules"
}

a_ceiling_mends_it_and_crossed_locks() {
    gives 0 said ./priorities --cores=1 =pathfinder_ceiling --executions=1000
    for kind in crossed crossed_inherit; do
        gives 1 said ./priorities --cores=1 =$kind --strategy=dfs
        says said deadlock
    done
    gives 0 said ./priorities --cores=1 =crossed_ceiling --strategy=dfs
    says said "PASS crossed_ceiling"
}

a_ceiling_that_is_too_low_is_named() {
    gives 1 said ./priorities --cores=1 =ceiling_too_low
    says said "priority above the ceiling of a mutex"
    says said "T3, of priority 3, has locked bus, the ceiling of which is 2"
    gives 1 said ./priorities =both_protocols
    says said "is no kind of mutex"
}

interrupts_come_whatever_the_priority() {
    gives 1 said ./priorities --cores=1 =above_all_priorities
    says said "uart"
}

# What POSIX says of priorities, and what it makes of them.
unedited_programs_have_them() {
    gives 0 said ./ranks --cores=1 --executions=50 -- says
    for how in created set scheduled; do
        gives 1 said ./ranks --cores=1 --executions=1000 -- $how none
        says said "held up"
        for protocol in inherit protect; do
            gives 0 said ./ranks --cores=1 --executions=500 -- $how $protocol
            gives 0 said ./ranks --cores=1 --strategy=dfs --executions=500 -- $how $protocol
        done
    done
}

try inversion_is_found_and_inheritance_mends_it
try inversion_is_found_and_inheritance_mends_it --strategy=random
try_all
summary
