/* What is known of the kernels in tests/paper: the races that are real, statement by statement.
 *
 * A statement is written as its kind, its function and its expression.  Besides these pairs no
 * other may ever be brought together, nor be seen unordered by happens-before. */
#ifndef KERNELS_H
#define KERNELS_H
#include "lab.h"

/* How RaceFuzzer can be expected to do. */
typedef enum kernel_chance {
    OFTEN,  /* in at least one of five executions */
    SELDOM, /* less often, or not at all: it takes several accesses of others in between */
    APART   /* nothing orders the two, but another access of theirs stands between them always */
} kernel_chance;

typedef struct kernel_race {
    const char *test, *a, *b;
    kernel_chance chance;
} kernel_race;

static const kernel_race kernel_races[] = {
    {"moldyn", "R barrier done[child]", "W barrier done[id]", OFTEN},
    {"moldyn", "R barrier done[0]", "W barrier done[id]", OFTEN},
    {"moldyn", "W move position[id].x", "R find_force position[i].x", APART},
    {"moldyn", "W move position[id].y", "R find_force position[i].y", APART},
    {"moldyn", "W move position[id].z", "R find_force position[i].z", APART},
    {"moldyn", "W find_force force[id].x", "R sum_up force[i].x", APART},
    {"moldyn", "W find_force force[id].y", "R sum_up force[i].y", APART},
    {"moldyn", "W find_force force[id].z", "R sum_up force[i].z", APART},
    {"moldyn", "W find_force energy[id]", "R sum_up energy[i]", APART},
    {"moldyn", "W sum_up total.x", "R move total.x", APART},
    {"moldyn", "W sum_up total.y", "R move total.y", APART},
    {"moldyn", "W sum_up total.z", "R move total.z", APART},
    {"raytracer", "W render checksum", "W render checksum", OFTEN},
    {"raytracer", "R render checksum", "W render checksum", OFTEN},
    {"montecarlo", "W price debug", "W price debug", OFTEN},
    {"cache4j", "W fall_asleep sleeping", "R use sleeping", OFTEN},
    {"cache4j", "W wake_up sleeping", "R use sleeping", OFTEN},
    {"hedc", "W finish t->thread", "R cancel t->thread", OFTEN},
    {"hedc", "W finish t->thread", "R interrupt t->thread", OFTEN},
    {"weblech", "W at_work queue.in_progress", "R more_to_come queue.in_progress", OFTEN},
    {"weblech", "W stop running", "R is_running running", OFTEN},
    {"jigsaw", "W count_hit statistics.hits", "W count_hit statistics.hits", OFTEN},
    {"jigsaw", "W count_hit statistics.hits", "R count_hit statistics.hits", OFTEN},
    {"jigsaw", "W count_hit statistics.hits", "R status_page statistics.hits", OFTEN},
    {"jigsaw", "W count_hit statistics.bytes", "W count_hit statistics.bytes", OFTEN},
    {"jigsaw", "W count_hit statistics.bytes", "R count_hit statistics.bytes", OFTEN},
    {"jigsaw", "W count_hit statistics.bytes", "R status_page statistics.bytes", OFTEN},
    {"jigsaw", "W count_hit statistics.errors", "R status_page statistics.errors", OFTEN},
    {"jigsaw", "W change_state table.busy", "R status_page table.busy", OFTEN},
    {"jigsaw", "W change_state table.idle", "R status_page table.idle", OFTEN},
    {"vector", "W add_element vector.count", "R is_empty vector.count", OFTEN},
    {"vector", "W add_element vector.count", "R has_size vector.count", OFTEN},
    {"vector", "W add_element vector.count", "R has_more_elements vector.count", OFTEN},
    {"vector", "W remove_last vector.count", "R is_empty vector.count", OFTEN},
    {"vector", "W remove_last vector.count", "R has_size vector.count", OFTEN},
    {"vector", "W remove_last vector.count", "R has_more_elements vector.count", OFTEN},
    {"vector", "W remove_all vector.count", "R is_empty vector.count", OFTEN},
    {"vector", "W remove_all vector.count", "R has_size vector.count", OFTEN},
    {"vector", "W remove_all vector.count", "R has_more_elements vector.count", OFTEN},
    {"linked_list", "W collection_add last->next", "R iterator_next it->last->next", SELDOM},
    {"linked_list", "W collection_add c->size", "R iterator_has_next it->of->size", OFTEN},
    {"linked_list", "W collection_add c->size", "R iterator_next it->of->size", OFTEN},
    {"linked_list", "W collection_add c->changes", "R iterator_next it->of->changes", OFTEN},
    {"linked_list", "W unlink_node previous->next", "R iterator_next it->last->next", OFTEN},
    {"linked_list", "W unlink_node c->size", "R iterator_has_next it->of->size", OFTEN},
    {"linked_list", "W unlink_node c->size", "R iterator_next it->of->size", OFTEN},
    {"linked_list", "W unlink_node c->changes", "R iterator_next it->of->changes", OFTEN},
    {"linked_list", "W collection_clear c->head.next", "R iterator_next it->last->next", APART},
    {"linked_list", "W collection_clear c->size", "R iterator_has_next it->of->size", OFTEN},
    {"linked_list", "W collection_clear c->size", "R iterator_next it->of->size", OFTEN},
    {"linked_list", "W collection_clear c->changes", "R iterator_next it->of->changes", OFTEN},
    {"array_list", "W ensure_capacity c->changes", "R iterator_next it->of->changes", OFTEN},
    {"array_list", "W collection_add c->data[n]", "R iterator_next it->of->data[it->at++]", SELDOM},
    {"array_list", "W collection_add c->size", "R iterator_has_next it->of->size", OFTEN},
    {"array_list", "W collection_add c->size", "R iterator_next it->of->size", OFTEN},
    {"array_list", "W remove_at c->changes", "R iterator_next it->of->changes", OFTEN},
    {"array_list", "W remove_at c->data[i]", "R iterator_next it->of->data[it->at++]", SELDOM},
    {"array_list", "W remove_at c->size", "R iterator_has_next it->of->size", OFTEN},
    {"array_list", "W remove_at c->size", "R iterator_next it->of->size", OFTEN},
    {"array_list", "W remove_at c->data[n]", "R iterator_next it->of->data[it->at++]", SELDOM},
    {"array_list", "W collection_clear c->changes", "R iterator_next it->of->changes", OFTEN},
    {"array_list", "W collection_clear c->data[i]", "R iterator_next it->of->data[it->at++]",
     OFTEN},
    {"array_list", "W collection_clear c->size", "R iterator_has_next it->of->size", OFTEN},
    {"array_list", "W collection_clear c->size", "R iterator_next it->of->size", OFTEN},
    {"hash_set", "W collection_add c->changes", "R iterator_next it->of->changes", OFTEN},
    {"hash_set", "W collection_add c->table[value % TABLE]", "R advance it->of->table[--it->at]",
     OFTEN},
    {"hash_set", "W collection_remove c->changes", "R iterator_next it->of->changes", OFTEN},
    {"hash_set", "W collection_remove before->next", "R iterator_next it->last->next", OFTEN},
    {"hash_set", "W collection_remove c->table[value % TABLE]", "R advance it->of->table[--it->at]",
     OFTEN},
    {"hash_set", "W collection_clear c->changes", "R iterator_next it->of->changes", OFTEN},
    {"hash_set", "W collection_clear c->table[i]", "R advance it->of->table[--it->at]", OFTEN},
    {"tree_set", "W count c->changes", "R iterator_next it->of->changes", OFTEN},
    {"tree_set", "W collection_add parent->right", "R successor n->right", SELDOM},
    {"tree_set", "W collection_add parent->right", "R successor p->right", SELDOM},
    {"tree_set", "W replace parent->right", "R successor n->right", SELDOM},
    {"tree_set", "W replace parent->right", "R successor p->right", SELDOM},
    {"tree_set", "W replace by->parent", "R successor n->parent", SELDOM},
    {"tree_set", "W replace by->parent", "R successor p->parent", SELDOM},
    {"tree_set", "W delete_node n->parent", "R successor n->parent", OFTEN},
    {"tree_set", "W delete_node n->parent", "R successor p->parent", SELDOM},
    {"tree_set", "W delete_node n->value", "R iterator_next it->last->value", SELDOM},
    {"tree_set", "W collection_clear c->changes", "R iterator_next it->of->changes", OFTEN},
};
enum { KERNEL_RACES = sizeof kernel_races / sizeof *kernel_races };

/* How many lock cycles and unserialisable blocks are real, in each kernel that has locks in several
 * orders, or blocks. */
typedef struct kernel_faults {
    const char *test;
    uint32_t deadlocks, violations;
} kernel_faults;

static const kernel_faults kernel_fault_table[] = {
    {"hedc", 0, 1},
    {"jspider", 0, 2}, /* next job, statistics; nobody disturbs listeners */
    {"jigsaw", 0, 3},  /* count hit loses a hit, or its bytes; client state */
    {"jigsaw_shutdown", 3, 0},
    {"dbcp", 2, 0},
    {"swing", 1, 0},
    {"string_buffer", 0, 1},
    {"philosophers_2", 1, 0},
    {"philosophers_3", 1, 0},
    {"philosophers_4", 1, 0},
    {"philosophers_5", 1, 0},
    {"philosophers_6", 1, 0},
    {"philosophers_7", 1, 0},
    {"transfer", 1, 0},
    {"cycle_of_three", 1, 0},
    {"gate_locked", 0, 0},
    {"start_and_join", 0, 0},
    {"linked_list_crosswise", 1, 0},
    {"array_list_crosswise", 1, 0},
    {"hash_set_crosswise", 1, 0},
    {"tree_set_crosswise", 1, 0},
};
enum { KERNEL_FAULTS = sizeof kernel_fault_table / sizeof *kernel_fault_table };

/* How many faults of a family are known to be real. */
static inline uint32_t kernel_known(const char *test, unsigned family) {
    uint32_t n = 0;
    for (unsigned i = 0; family == RF_FAMILY_RACE && i < KERNEL_RACES; i++)
        n += !strcmp(kernel_races[i].test, test) && kernel_races[i].chance != APART;
    for (unsigned i = 0; i < KERNEL_FAULTS; i++) {
        const kernel_faults *f = &kernel_fault_table[i];
        if (strcmp(f->test, test) != 0) continue;
        n += family == RF_FAMILY_DEADLOCK    ? f->deadlocks
             : family == RF_FAMILY_ATOMICITY ? f->violations
                                             : 0;
    }
    return n;
}

static inline bool kernel_statement(const rf_site *s, const char *spelled) {
    char text[128];
    snprintf(text, sizeof text, "%c %s %s", s->kind == RF_SITE_READ ? 'R' : 'W', s->function,
             s->text);
    return !strcmp(text, spelled);
}

/* The known race that this warning of a test is; NULL: it must not be real. */
static inline const kernel_race *kernel_race_of(const char *test, const rfi_warning *w) {
    const rf_site *a = w->side[0].site, *b = w->side[1].site;
    if (w->family != RF_FAMILY_RACE) return NULL;
    for (unsigned i = 0; i < KERNEL_RACES; i++) {
        const kernel_race *r = &kernel_races[i];
        if (strcmp(r->test, test) != 0) continue;
        if (kernel_statement(a, r->a) && kernel_statement(b, r->b)) return r;
        if (kernel_statement(a, r->b) && kernel_statement(b, r->a)) return r;
    }
    return NULL;
}
#endif
