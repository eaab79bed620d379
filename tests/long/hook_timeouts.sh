#!/bin/sh
# tests/hook_timeouts.sh with all of its cases.
# Run from the top of the tree, with CC and BUILD set.
MORE=1 exec sh tests/hook_timeouts.sh
