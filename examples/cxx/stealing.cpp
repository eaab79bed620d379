// Work stealing after Chase and Lev (SPAA 2005): one thread puts tasks in and takes them out at the
// bottom, others steal at the top.  Le, Pop, Cohen and Zappa Nardelli (PPoPP 2013) say which orders
// C11 needs; without the fence in take() a task is done twice.
#include <atomic>
#include <cassert>
#include <thread>

class deque {
    static constexpr long size = 8;
    std::atomic<long> top{0}, bottom{0};
    std::atomic<int> task[size] = {};

  public:
    void put(int t) {
        long b = bottom.load(std::memory_order_relaxed);
        task[b % size].store(t, std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_release);
        bottom.store(b + 1, std::memory_order_relaxed);
    }

    int take() { // 0: there is none
        long b = bottom.load(std::memory_order_relaxed) - 1;
        bottom.store(b, std::memory_order_relaxed);
#ifdef FIXED
        std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
        long t = top.load(std::memory_order_relaxed);
        int got = t <= b ? task[b % size].load(std::memory_order_relaxed) : 0;
        if (t == b && !top.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst,
                                                   std::memory_order_relaxed))
            got = 0;
        if (t >= b) bottom.store(b + 1, std::memory_order_relaxed);
        return got;
    }

    int steal() {
        long t = top.load(std::memory_order_acquire);
        std::atomic_thread_fence(std::memory_order_seq_cst);
        long b = bottom.load(std::memory_order_acquire);
        if (t >= b) return 0;
        int got = task[t % size].load(std::memory_order_relaxed);
        return top.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst,
                                           std::memory_order_relaxed)
                   ? got
                   : 0;
    }
};

static deque tasks;
static int done[3]; // how often each was; written by who has it

int main() {
    tasks.put(1);
    tasks.put(2);
    std::thread thief([] {
        for (int i = 0; i < 2; i++) done[tasks.steal()]++;
    });
    int a = tasks.take(), b = tasks.take();
    thief.join();
    done[a]++;
    done[b]++;
    assert(done[1] <= 1 && done[2] <= 1);
}
