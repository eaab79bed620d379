// A string buffer after java.lang.StringBuffer: each operation locks its own buffer, and append
// asks another buffer for its length and then for its contents.  Between the two it may shrink.
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

class buffer {
    mutable std::mutex mutex;
    std::string text;

  public:
    explicit buffer(const char *s) : text(s) {}

    std::size_t length() const {
        std::lock_guard<std::mutex> lock(mutex);
        return text.size();
    }

    // The letters from..to of it.
    std::string part(std::size_t from, std::size_t to) const {
        std::lock_guard<std::mutex> lock(mutex);
        if (to > text.size()) throw std::out_of_range("part");
        return text.substr(from, to - from);
    }

    void erase() {
        std::lock_guard<std::mutex> lock(mutex);
        text.clear();
    }

    void append(const buffer &other) {
#ifdef FIXED
        std::scoped_lock lock(mutex, other.mutex);
        text += other.text;
#else
        std::lock_guard<std::mutex> lock(mutex);
        std::size_t n = other.length();
        text += other.part(0, n); // n is of the past
#endif
    }
};

int main() {
    buffer a("abc"), b("def");
    std::thread eraser([&] { b.erase(); });
    a.append(b);
    eraser.join();
}
