// What depends on chance happens again where it is replayed.
#include <random>

int main() {
    std::random_device device;
    std::mt19937 engine(device());
    return device() % 4 == 0 && engine() % 2 == 0;
}
