#!/bin/sh
# tests/workers.sh with all of its cases.
MORE=1 exec sh tests/workers.sh
