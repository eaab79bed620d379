// Objects that each thread has of its own: destroyed where it ends, the newest first.
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex lock;
static int destroyed;

struct early {
    int own = 0;
    ~early() {
#ifndef RACE
        std::lock_guard<std::mutex> l(lock);
#endif
        destroyed += own;
#ifdef MAIN
        assert(destroyed != 7);
#endif
    }
};

static thread_local early first;

struct late {
    int own;
    late(int n) : own(n) {}
    ~late() { first.own = own; }
};

static void have(int n) {
    first.own = 0;
    thread_local late second(n);
}

int main() {
    have(4);
    std::thread a(have, 1), b(have, 2);
    a.join();
    b.join();
    assert(destroyed == 3);
}
