# tests/view.awk: a shipped header for tests that look into the engine (-DRFI_VISIBLE=2): what it
# exports is inline there too, like what is internal, so that a test's unit compiles none of it.
/^[a-z][A-Za-z0-9_ *]*[ *](rfi?_[a-z0-9_]*|RFI_HOOK)\(/ && !/^(static|typedef|extern|return)/ {
    holding = 1
}
holding {
    held = held $0 "\n"
    if (/[{;}]$/) {
        printf "%s%s", held ~ /{/ ? "RFI_FN " : "", held
        held = holding = ""
    }
    next
}
{ print }
