# In our headers a comment behind a member documents it. Doxygen wants `///<` there.
:again
# A defaulted comparison needs no words, and a word to clang-tidy is none.
/friend bool operator==(.*= default;/s/.*//
s/ *\/\/ NOLINT.*//
/^[[:space:]]*[^[:space:]\/].*[^:\/"]\/\/ /{
    s/\([^:\/"]\)\/\/ /\1\/\/\/< /
    n
    # A comment line directly below continues it.
    :more
    /^[[:space:]]*\/\/ /{
        s/\/\/ /\/\/\/< /
        n
        b more
    }
    b again
}
