#!/bin/sh
# Programs that are generated: nothing is found in 12 without a fault, and in 12 with one each (a
# race, a deadlock, a violation of atomicity) it is found, under tokens that show it again.
# (200 of each, and the fixed twins of the examples: tests/long/generated.sh.)
set -u
name=generated
. tests/generate/programs.sh

safe_programs 12
planted_programs 12
summary
