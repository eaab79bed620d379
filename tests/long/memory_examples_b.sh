#!/bin/sh
# tests/long/memory_examples_b.sh: the fixed twins survive 100,000 executions.
EXECUTIONS=100000 exec sh tests/memory_examples_b.sh
