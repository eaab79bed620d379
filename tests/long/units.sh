#!/bin/sh
# Each file of src/ includes what it needs.
name=units
. tests/try.sh

every_source_header_compiles_alone() { make units; }

try every_source_header_compiles_alone
summary
