/* The environment changes beside who asks for the zone of the time, or (`after`) behind him. */
#include "check.h"

static const char *way;

static void *asks(void *arg) {
    time_t t = 0;
    struct tm is = {.tm_year = 101};
    char text[64];
    if (!strcmp(way, "localtime")) return localtime(&t) ? arg : NULL;
    if (!strcmp(way, "ctime")) return ctime(&t) ? arg : NULL;
    if (!strcmp(way, "localtime_r")) return localtime_r(&t, &is) ? arg : NULL;
    if (!strcmp(way, "mktime")) return mktime(&is) ? arg : NULL;
    return strftime(text, sizeof text, "%c", &is) ? arg : NULL;
}

int main(int argc, char **argv) {
    pthread_t t;
    way = argv[1];
    pthread_create(&t, NULL, asks, NULL);
    if (argc > 2) pthread_join(t, NULL);
    setenv("TZ", "UTC", 1);
    if (argc == 2) pthread_join(t, NULL);
    return 0;
}
