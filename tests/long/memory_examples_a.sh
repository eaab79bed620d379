#!/bin/sh
# The fixed twins of tests/memory_examples_a.sh, each for 30,000 executions in each phase, by night
# 100,000.
EXECUTIONS=${NIGHTLY:+100000}
EXECUTIONS=${EXECUTIONS:-30000}
. tests/memory_examples_a.sh
