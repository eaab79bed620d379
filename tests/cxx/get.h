/* Two threads ask for what is made once; with RACE another one looks without asking. */
static void get_twice(int &a, int &b) {
    std::thread t([&] { a = get(); }), u([&] { b = get(); });
#ifdef RACE
    int seen = made; // nothing orders this
    (void)seen;
#endif
    t.join();
    u.join();
}
