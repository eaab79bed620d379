// What C++20 adds to it.
#include <atomic>
#include <thread>
#include <barrier>
#include <latch>
#include <semaphore>
#include <stop_token>
#include <cassert>
#include <chrono>
int main() {
    std::atomic<int> flag{0};
    int data = 0;
    std::barrier bar(2);
    std::latch la(1);
    std::counting_semaphore<4> sem(0);
    {
        std::jthread a([&](std::stop_token) {
            data = 1;
            flag.store(1);
            flag.notify_one();
            bar.arrive_and_wait();
            la.count_down();
            sem.release();
        });
        flag.wait(0);
        assert(data == 1);
        bar.arrive_and_wait();
        la.wait();
        sem.acquire();
        bool got = sem.try_acquire_for(std::chrono::milliseconds(5));
        assert(!got);
    }
}
