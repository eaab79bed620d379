/* bench/relacy.cpp: the programs of bench/programs.h for Relacy (Debian: relacy-dev).
 *
 *     relacy PROGRAM EXECUTIONS       prints the rate as bench/speed does
 */
#include <relacy/relacy.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sstream>

struct empty : rl::test_suite<empty, 2> {
    void thread(unsigned) {}
};

struct store_buffering : rl::test_suite<store_buffering, 2> {
    rl::atomic<int> x, y;
    void before() {
        x($) = 0;
        y($) = 0;
    }
    void thread(unsigned me) {
        (me ? x : y).store(1, rl::mo_seq_cst, $);
        (void)(me ? y : x).load(rl::mo_seq_cst, $);
    }
};

struct peterson : rl::test_suite<peterson, 2> {
    rl::atomic<int> wants[2], turn;
    rl::var<int> owner;
    void before() {
        wants[0]($) = 0;
        wants[1]($) = 0;
        turn($) = 0;
    }
    void thread(unsigned me) {
        int other = !me;
        wants[me].store(1, rl::mo_seq_cst, $);
        turn.store(other, rl::mo_seq_cst, $);
        while (wants[other].load(rl::mo_seq_cst, $) &&
               turn.load(rl::mo_seq_cst, $) == other)
            rl::yield(1, $);
        owner($) = (int)me;
        RL_ASSERT(owner($) == (int)me);
        wants[me].store(0, rl::mo_seq_cst, $);
    }
};

struct mutex_counter : rl::test_suite<mutex_counter, 2> {
    rl::mutex lock;
    rl::var<int> value;
    void before() { value($) = 0; }
    void thread(unsigned) {
        for (int i = 0; i < 10; i++) {
            lock.lock($);
            value($) = value($) + 1;
            lock.unlock($);
        }
    }
    void after() { RL_ASSERT(value($) == 20); }
};

struct treiber : rl::test_suite<treiber, 3> {
    struct node {
        rl::atomic<node *> next;
        rl::var<int> value;
    };
    rl::atomic<node *> top;
    node nodes[3][6];
    void before() { top($) = (node *)nullptr; }
    void push(node *n) {
        node *old = top.load(rl::mo_relaxed, $);
        do n->next.store(old, rl::mo_relaxed, $);
        while (!top($).compare_exchange_weak(old, n, rl::mo_release,
                                          rl::mo_relaxed));
    }
    node *pop() {
        node *old = top.load(rl::mo_acquire, $);
        while (old) {
            node *next = old->next.load(rl::mo_relaxed, $);
            if (top($).compare_exchange_weak(old, next, rl::mo_acquire,
                                          rl::mo_acquire))
                break;
        }
        return old;
    }
    void thread(unsigned me) {
        for (int i = 0; i < 6; i++) {
            nodes[me][i].value($) = i;
            push(&nodes[me][i]);
            node *n = pop();
            if (n) (void)(int)n->value($);
        }
    }
};

template <typename test> static int run(const char *name, unsigned executions) {
    std::ostringstream said;
    rl::test_params p;
    p.iteration_count = executions;
    p.output_stream = p.progress_stream = &said;
    std::clock_t begin = std::clock();
    bool passed = rl::simulate<test>(p);
    double seconds = (double)(std::clock() - begin) / CLOCKS_PER_SEC;
    if (!passed) return std::fprintf(stderr, "%s\n", said.str().c_str()), 1;
    std::printf("%-16s relacy %12.0f executions/s\n", name, executions / seconds);
    return 0;
}

int main(int argc, char **argv) {
    unsigned n = argc == 3 ? (unsigned)std::strtoul(argv[2], nullptr, 10) : 0;
    const char *name = argc == 3 ? argv[1] : "";
    if (!std::strcmp(name, "empty")) return run<empty>(name, n);
    if (!std::strcmp(name, "store_buffering")) return run<store_buffering>(name, n);
    if (!std::strcmp(name, "peterson")) return run<peterson>(name, n);
    if (!std::strcmp(name, "mutex_counter")) return run<mutex_counter>(name, n);
    if (!std::strcmp(name, "treiber")) return run<treiber>(name, n);
    return std::fprintf(stderr, "usage: relacy PROGRAM EXECUTIONS\n"), 2;
}
