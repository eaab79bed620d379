#!/bin/sh
# tests/memory_examples.sh with 30,000 executions in each phase, by night 100,000.
EXECUTIONS=${NIGHTLY:+100000}
EXECUTIONS=${EXECUTIONS:-30000} exec sh tests/memory_examples.sh
