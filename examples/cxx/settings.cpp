// Settings that are read once, by whoever asks first.  The static object of a function is
// initialised by one thread alone (C++11 6.7); what is put into it later is nobody's but ours.
#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <cassert>

struct settings {
    std::mutex mutex;
    std::map<std::string, int> value{{"size", 1}};
};

static settings &all() {
    static settings s;
    return s;
}

static int get(const std::string &name) {
    std::lock_guard<std::mutex> lock(all().mutex);
    return all().value[name];
}

static void set(const std::string &name, int value) {
#ifdef FIXED
    std::lock_guard<std::mutex> lock(all().mutex);
#endif
    all().value[name] = value;
}

int main() {
    std::thread a([] { set("size", 2); });
    int size = get("size");
    a.join();
    assert(size == 1 || size == 2);
}
