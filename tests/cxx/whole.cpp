// A program in C and C++.
#include <thread>

extern "C" int part_count;
extern "C" void part_add();

int main() {
    std::thread t(part_add);
    part_count++;
    t.join();
    return part_count != 2;
}
