#!/bin/sh
# tests/long/memory_examples_b.sh: the fixed twins survive 30,000 executions, by night
# 100,000.
[ -z "${NIGHTLY:-}" ] || EXECUTIONS=100000
EXECUTIONS=${EXECUTIONS:-30000} exec sh tests/memory_examples_b.sh
