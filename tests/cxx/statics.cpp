// Static objects are destroyed when main has returned, beside threads that nobody has joined.
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <thread>

static std::mutex lock;
static std::map<int, std::string> names;

static bool over;

struct keeper {
    std::thread of;
    ~keeper() {
        if (!over) std::abort(); /* later handlers come first */
        if (of.joinable()) of.join();
    }
};

static void last() { over = true; }

int main() {
    static keeper kept;
    std::atexit(last);
    std::thread one([] {
        std::lock_guard<std::mutex> l(lock);
        names[1] = "a name that is too long for the object itself";
    });
#ifdef RACE
    one.detach();
#else
    kept.of = std::move(one);
#endif
}
