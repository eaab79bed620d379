// What the C++ library has for threads, used rightly; of C++17.
#include <thread>
#include <mutex>
#include <condition_variable>
#include <future>
#include <cassert>
#include <vector>
#include <memory>
#include <shared_mutex>
#include <stdexcept>
#include <map>
#include <string>
struct Config {
    std::string name;
    Config() : name("configuration of the program, rather long") {}
};
static Config &config() {
    static Config c;
    return c;
}
template <class T> class Queue {
    std::mutex m;
    std::condition_variable cv;
    std::vector<T> v;

  public:
    void put(T x) {
        std::lock_guard<std::mutex> l(m);
        v.push_back(std::move(x));
        cv.notify_one();
    }
    T get() {
        std::unique_lock<std::mutex> l(m);
        cv.wait(l, [&] { return !v.empty(); });
        T x = std::move(v.back());
        v.pop_back();
        return x;
    }
};
static thread_local std::string mine = "own";
static std::once_flag once;
static int inits;
int main() {
    Queue<int> q;
    std::shared_mutex sm;
    std::map<int, std::string> map;
    auto f = std::async(std::launch::async, [&] { return q.get() + q.get(); });
    std::thread a([&] {
        q.put(1);
        std::call_once(once, [] { inits++; });
        std::unique_lock l(sm);
        map[1] = mine + config().name;
    });
    std::thread b([&] {
        q.put(2);
        std::call_once(once, [] { inits++; });
        std::shared_lock l(sm);
        if (map.count(1)) assert(map[1].size() > 3);
        config();
    });
    assert(f.get() == 3);
    a.join();
    b.join();
    assert(inits == 1);
    std::promise<int> p;
    auto fu = p.get_future();
    std::thread c([&] {
        try {
            throw std::runtime_error("x");
        } catch (std::exception &) {
            p.set_value(4);
        }
    });
    assert(fu.get() == 4);
    c.join();
}
