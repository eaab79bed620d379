/* Inline functions that two units share: of both kinds that C has. */
#ifndef INLINE_H
#define INLINE_H

static inline int add_static(int *p, int n) {
    RF_STORE(*p, RF_LOAD(*p) + n);
    return RF_LOAD(*p);
}

inline int add_extern(int *p, int n) {
    static const int limit = 10;
    RF_FUNC;
    RF_LOG("add %d", n);
    RF_ASSERT_LT(n, limit);
    RF_STORE(*p, RF_LOAD(*p) + n);
    return RF_LOAD(*p);
}
#endif
