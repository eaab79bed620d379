/* report/help.h: the list of options, as text for --help, as a table for the manual, as a list for
 * the man page.
 *
 * All of it is made from RFI_OPTIONS (campaign/options.h) and the names that are registered.
 */
#ifndef RFI_REPORT_HELP_H
#define RFI_REPORT_HELP_H
#include "campaign/options.h"
#include "report/terminal.h"

#ifdef RFI_IMPL
# define RFI_HELP_INDENT 24u

/* What is said of a name, with the number that it takes. */
RFI_FN rfi_line rfi_help_of(const rfi_name *n) {
    rfi_line l = {0};
    rfi_line_add(&l, "%s", n->help ? n->help : "");
    if (n->most)
        rfi_line_add(&l, "; %s:N: %s, %u to %u, else %u", n->name, n->of ? n->of : "N", n->least,
                     n->most, n->preset);
    return l;
}

/* The names that an option takes, each with its line. */
RFI_FN void rfi_help_names(const rfi_term *t, const rfi_name *list) {
    unsigned longest = 0;
    for (const rfi_name *n = list; n->name; n++)
        if (longest < strlen(n->name)) longest = (unsigned)strlen(n->name);
    unsigned at = RFI_HELP_INDENT + 2, text = at + longest + 2;
    for (const rfi_name *n = list; n->name; n++) {
        rfi_line l = rfi_help_of(n);
        fprintf(t->out, "%*s%-*s", (int)at, "", (int)longest, n->name);
        rfi_wrapped(t, RFI_PLAIN, at + longest, text, text, l.s);
    }
}

RFI_FN void rfi_help_option(const rfi_term *t, const rfi_option *o, const rfi_name *list) {
    rfi_line head = {0}, text = {0};
    rfi_line_add(&head, "  %s%s%s", o->option, o->metavar ? " " : "", o->metavar ? o->metavar : "");
    rfi_line_add(&text, "%s", o->help);
    if (o->preset) rfi_line_add(&text, " (default: %s)", o->preset);
    rfi_styled(t, RFI_BOLD, "%s", head.s);
    rfi_wrapped(t, RFI_PLAIN, head.bytes, RFI_HELP_INDENT, RFI_HELP_INDENT, text.s);
    if (list) rfi_help_names(t, list);
}

/* What --help prints. */
RFI_FN void rfi_print_help(FILE *out, const char *program, const rfi_names *names) {
    rfi_term t = rfi_term_of(out);
    fprintf(out, "usage: %s [option ...] [pattern ...]\n\n", program);
    rfi_wrapped(&t, RFI_PLAIN, 0, 0, 0,
                "Runs the tests of this program under the schedules that racefuzz chooses, and "
                "reports the races and failures that it produced, each with a token that replays "
                "it. An option --x has the variable RF_X (--fail-on: RF_FAIL_ON); the option "
                "wins.");
    fputc('\n', out);
    for (const rfi_option *o = rfi_option_table; o < rfi_option_table + RFI_OPTION_COUNT; o++)
        if (o->help) rfi_help_option(&t, o, rfi_option_names(o, names));
    fputc('\n', out);
    rfi_wrapped(&t, RFI_PLAIN, 0, 0, 0,
                "A variable of an option without a value takes 1, yes or true, or 0, no or false. "
                "NO_COLOR, CLICOLOR_FORCE, TERM and COLUMNS are honoured.");
    rfi_wrapped(&t, RFI_PLAIN, 0, 0, 0,
                "Exit status: 0 all as expected, 1 failures, 2 usage, 3 too few executions, 77 "
                "everything was skipped.");
}

/* ---- for documents ---- */

/* How a document language protects text, and how it marks what is typed. */
typedef struct rfi_markup {
    const char *in_text, *in_code; /* characters that need a backslash in front */
    const char *code[2];           /* around what is typed */
} rfi_markup;

RFI_VAR const rfi_markup rfi_markdown = {"|*_<>`[]\\", "|", {"`", "`"}};
RFI_VAR const rfi_markup rfi_roff = {"-", "-", {"\\fB", "\\fR"}};

RFI_FN void rfi_markup_protect(FILE *out, const char *special, const char *s) {
    for (; *s; s++) fprintf(out, "%s%c", strchr(special, *s) ? "\\" : "", *s);
}

RFI_FN void rfi_markup_text(FILE *out, const rfi_markup *m, const char *s) {
    rfi_markup_protect(out, m->in_text, s);
}

/* What is typed: options, variables and names. */
RFI_FN void rfi_markup_code(FILE *out, const rfi_markup *m, const char *s) {
    fputs(m->code[0], out);
    rfi_markup_protect(out, m->in_code, s);
    fputs(m->code[1], out);
}

RFI_FN void rfi_markup_names(FILE *out, const rfi_markup *m, const rfi_name *list) {
    for (const rfi_name *n = list; n && n->name; n++) {
        fputs(n == list ? ": " : ", ", out);
        rfi_markup_code(out, m, n->name);
        rfi_line l = rfi_help_of(n);
        if (!l.s[0]) continue;
        fputs(" (", out);
        rfi_markup_text(out, m, l.s);
        fputc(')', out);
    }
}

RFI_FN void rfi_print_markdown_row(FILE *out, const rfi_option *o, const rfi_name *list) {
    const rfi_markup *m = &rfi_markdown;
    fprintf(out, "| `%s` | `%s%s%s` | ", o->variable, o->option, o->metavar ? "=" : "",
            o->metavar ? o->metavar : "");
    rfi_markup_text(out, m, o->help);
    rfi_markup_names(out, m, list);
    fputs(" | ", out);
    rfi_markup_text(out, m, o->preset ? o->preset : "off");
    fputs(" |\n", out);
}

RFI_FN void rfi_print_roff_item(FILE *out, const rfi_option *o, const rfi_name *list) {
    const rfi_markup *m = &rfi_roff;
    fputs(".TP\n", out);
    rfi_markup_code(out, m, o->option);
    if (o->metavar) fprintf(out, "=\\fI%s\\fR", o->metavar);
    fprintf(out, ", \\fB%s\\fR\n", o->variable);
    rfi_markup_text(out, m, o->help);
    rfi_markup_names(out, m, list);
    if (o->preset) {
        fputs(" (default: ", out);
        rfi_markup_text(out, m, o->preset);
        fputc(')', out);
    }
    fputc('\n', out);
}

typedef enum rfi_table_form { RFI_TABLE_MARKDOWN, RFI_TABLE_ROFF } rfi_table_form;

/* What --help-markdown and --help-roff print: the table of the manual, the list of the man page. */
RFI_FN void rfi_print_option_table(FILE *out, rfi_table_form form, const rfi_names *names) {
    if (form == RFI_TABLE_MARKDOWN)
        fputs("| variable | option | meaning | default |\n|---|---|---|---|\n", out);
    for (const rfi_option *o = rfi_option_table; o < rfi_option_table + RFI_OPTION_COUNT; o++) {
        if (!o->help) continue;
        (form == RFI_TABLE_MARKDOWN ? rfi_print_markdown_row
                                    : rfi_print_roff_item)(out, o, rfi_option_names(o, names));
    }
}
#endif
#endif
