#!/bin/sh
# tests/hook_timeouts.sh with all of its cases.
MORE=1 exec sh tests/hook_timeouts.sh
