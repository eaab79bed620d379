#!/bin/sh
# bench/5_adversarial.sh: figures 9 and 10 of Flanagan and Freund (PLDI 2010), beside theirs.
set -eu
. bench/lib.sh
build adversarial
"$BUILD/bench/adversarial" rates
"$BUILD/bench/adversarial" buffers
