// Static objects of functions: initialised once, seen whole by all; tried again after an exception.
#include <cassert>
#include <stdexcept>
#include <thread>

static int tries, made;

struct once {
    int value;
    once() : value(7) {
        if (++tries == 1) throw std::runtime_error("not yet");
        made++;
    }
};

static int get() {
    try {
        static once o;
        return o.value;
    } catch (const std::runtime_error &) {
        return 0;
    }
}

#include "get.h"

int main() {
    int a, b;
    get_twice(a, b);
    assert(a + b >= 7 && made == 1 && tries == 2);
}
