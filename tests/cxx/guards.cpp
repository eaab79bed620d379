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

int main() {
    int a = 0, b = 0;
    std::thread t([&] { a = get(); }), u([&] { b = get(); });
#ifdef RACE
    int seen = made; // nothing orders this
    (void)seen;
#endif
    t.join();
    u.join();
    assert(a + b >= 7 && made == 1 && tries == 2);
}
