/* Writes the man pages and what bash, zsh and fish complete from the tables of
 * commands and options (tools/dae/options.c). Run by the build:
 *
 *     dae_pages FOLDER     dae.1, dae-run.1, ..., dae.bash, _dae, dae.fish */
#include "options.h"
#include <dae/solver.h>
#include <stdio.h>
#include <string.h>

static bool is_shown(const option *o, command c)
{
    return (o->commands & (unsigned)c) && o->help;
}

/* A command that is told of, whose options are. */
static bool is_command(const topic *t)
{
    return t->summary && t->command != COMMAND_HELP;
}

/* ---- man pages ---- */

static void put_roff(FILE *to, const char *text)
{
    static const char special[] = "\\-`'^~";
    static const char *const written[] = {
        "\\e", "\\-", "\\(ga", "\\(aq", "\\(ha", "\\(ti"};
    if (*text == '.') (void)fputs("\\&", to);
    for (; *text; text++) {
        const char *at = strchr(special, *text);
        if (at) (void)fputs(written[at - special], to);
        else (void)fputc(*text, to);
    }
}

static void put_bold(FILE *to, const char *text)
{
    (void)fputs("\\fB", to);
    put_roff(to, text);
    (void)fputs("\\fR", to);
}

static void put_line(FILE *to, const char *text)
{
    put_roff(to, text);
    (void)fputc('\n', to);
}

static void put_head(FILE *to, const char *name, const char *summary)
{
    (void)fprintf(to, ".TH %s 1 \"\" \"dae %s\" \"User Commands\"\n", name,
        dae_version());
    (void)fputs(".SH NAME\n", to);
    put_roff(to, name);
    (void)fputs(" \\- ", to);
    put_line(to, summary);
}

static void put_option(FILE *to, const option *o)
{
    (void)fputs(".TP\n", to);
    if (o->brief) put_bold(to, o->brief), (void)fputs(", ", to);
    put_bold(to, o->name);
    if (o->value) (void)fputs(" \\fI", to), put_roff(to, o->value);
    (void)fputs("\\fR\n", to);
    put_line(to, o->help);
}

static void put_options(FILE *to, command c)
{
    (void)fputs(".SH OPTIONS\n", to);
    for (option_group g = 0; g < GROUP_COUNT; g++) {
        bool is_first = true;
        for (size_t k = 0; k < option_count; k++) {
            if (options[k].group != g || !is_shown(&options[k], c)) continue;
            if (is_first && group_titles[g])
                (void)fprintf(to, ".SS %s\n", group_titles[g]);
            is_first = false;
            put_option(to, &options[k]);
        }
    }
}

static void put_examples(FILE *to, const char *text)
{
    (void)fputs(".SH EXAMPLES\n.nf\n", to);
    for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
        char line[200];
        (void)snprintf(line, sizeof line, "%.*s", (int)(end - text), text);
        put_line(to, line);
    }
    (void)fputs(".fi\n", to);
}

static void put_command_page(FILE *to, const topic *t)
{
    char name[40];
    (void)snprintf(name, sizeof name, "dae-%s", t->name);
    put_head(to, name, t->summary);
    (void)fputs(".SH SYNOPSIS\n\\fBdae ", to);
    put_roff(to, t->name);
    (void)fputs("\\fR [\\fIoptions\\fR] \\fI", to);
    put_roff(to, t->operands);
    (void)fputs("\\fR\n.SH DESCRIPTION\n", to);
    put_line(to, t->text);
    put_options(to, t->command);
    (void)fputs(".SH EXIT STATUS\n", to);
    put_line(to, t->exits ? t->exits : exit_text);
    if (t->examples) put_examples(to, t->examples);
    (void)fputs(".SH SEE ALSO\n.BR dae (1)\n", to);
}

static void put_overview_page(FILE *to)
{
    put_head(to, "dae", "solves differential-algebraic equations");
    (void)fputs(".SH SYNOPSIS\n\\fBdae\\fR \\fIcommand\\fR [\\fIoptions\\fR] "
                "\\fIoperands\\fR\n.SH DESCRIPTION\n",
        to);
    put_line(to, overview_text);
    (void)fputs(".SH COMMANDS\n", to);
    for (size_t k = 0; k < topic_count; k++) {
        if (!topics[k].summary) continue;
        (void)fputs(".TP\n\\fBdae ", to);
        put_roff(to, topics[k].name);
        (void)fputs("\\fR \\fI", to);
        put_roff(to, topics[k].operands);
        (void)fputs("\\fR\n", to);
        put_line(to, topics[k].summary);
    }
    (void)fputs(".SH EXIT STATUS\n", to);
    put_line(to, exit_text);
    (void)fputs(".SH SEE ALSO\n", to);
    const char *before = "";
    for (size_t k = 0; k < topic_count; k++) {
        if (!is_command(&topics[k])) continue;
        (void)fprintf(to, "%s.BR dae\\-%s (1)", before, topics[k].name);
        before = " ,\n";
    }
    (void)fputc('\n', to);
}

/* ---- words ---- */

/* What may follow an option, with a blank before each; false: anything else. */
static bool put_values(FILE *to, const option *o)
{
    if (o->kind == OPTION_METHOD) {
        (void)fputs(" auto", to);
        for (size_t k = 0; dae_integrator_at(k).name; k++)
            (void)fprintf(to, " %s", dae_integrator_at(k).name);
        return true;
    }
    if (!o->value || !strchr(o->value, '|')) return false;
    (void)fputc(' ', to);
    for (const char *c = o->value; *c; c++)
        (void)fputc(*c == '|' ? ' ' : *c, to);
    return true;
}

static bool takes_file(const option *o)
{
    return o->value && strcmp(o->value, "FILE") == 0;
}

/* The first of a name, whatever command it is of: values depend on the name alone. */
static bool is_first(size_t k)
{
    for (size_t i = 0; i < k; i++)
        if (strcmp(options[i].name, options[k].name) == 0) return false;
    return options[k].help != NULL;
}

static void put_commands(FILE *to)
{
    for (size_t k = 0; k < topic_count; k++)
        if (topics[k].summary) (void)fprintf(to, " %s", topics[k].name);
}

static void put_topics(FILE *to)
{
    put_commands(to);
    (void)fputs(" methods", to);
}

/* ---- bash ---- */

static void put_bash_value(FILE *to, const option *o)
{
    if (!option_wants_value(o)) return;
    (void)fprintf(to, "    %s%s%s) ", o->brief ? o->brief : "",
        o->brief ? "|" : "", o->name);
    if (takes_file(o)) {
        (void)fputs("_dae_files; return ;;\n", to);
        return;
    }
    (void)fputs("_dae_words", to);
    if (!put_values(to, o)) (void)fputs(" ''", to);
    (void)fputs("; return ;;\n", to);
}

static void put_bash_command(FILE *to, const topic *t)
{
    (void)fprintf(to, "    %s) _dae_options", t->name);
    for (size_t k = 0; k < option_count; k++) {
        const option *o = &options[k];
        if (!is_shown(o, t->command)) continue;
        (void)fprintf(to, " %s%s%s", o->brief ? o->brief : "",
            o->brief ? " " : "", o->name);
    }
    (void)fputs(" ;;\n", to);
}

static void put_bash(FILE *to)
{
    (void)fputs(
        "# What bash completes of `dae`; made from its table of options.\n"
        "\n"
        "_dae_words() {\n"
        "    mapfile -t COMPREPLY < <(compgen -W \"$*\" -- \"$word\")\n"
        "}\n"
        "_dae_files() {\n"
        "    compopt -o filenames 2>/dev/null\n"
        "    mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
        "}\n"
        "_dae_options() {\n"
        "    if [[ $word == -* ]]; then _dae_words \"$@\"; else _dae_files; "
        "fi\n"
        "}\n"
        "_dae() {\n"
        "    local word=${COMP_WORDS[COMP_CWORD]} "
        "before=${COMP_WORDS[COMP_CWORD-1]}\n"
        "    COMPREPLY=()\n"
        "    if [[ $COMP_CWORD -eq 1 ]]; then\n"
        "        _dae_words",
        to);
    put_commands(to);
    (void)fputs(" --help --version\n"
                "        return\n"
                "    fi\n"
                "    if [[ $word == '=' ]]; then word=\n"
                "    elif [[ $before == '=' ]]; then "
                "before=${COMP_WORDS[COMP_CWORD-2]}\n"
                "    fi\n"
                "    case $before in\n",
        to);
    for (size_t k = 0; k < option_count; k++)
        if (is_first(k)) put_bash_value(to, &options[k]);
    (void)fputs("    esac\n    case ${COMP_WORDS[1]} in\n", to);
    for (size_t k = 0; k < topic_count; k++)
        if (is_command(&topics[k])) put_bash_command(to, &topics[k]);
    (void)fputs("    help) _dae_words", to);
    put_topics(to);
    (void)fputs(" ;;\n    esac\n}\ncomplete -F _dae dae\n", to);
}

/* ---- zsh ---- */

/* Within '...', and within [...] of a specification. */
static void put_zsh(FILE *to, const char *text)
{
    for (; *text; text++) {
        if (*text == '\'') (void)fputs("'\\''", to);
        else if (strchr("[]:\\", *text)) (void)fprintf(to, "\\%c", *text);
        else (void)fputc(*text, to);
    }
}

static void put_zsh_option(FILE *to, const option *o, const char *name)
{
    (void)fprintf(
        to, "            '*%s%s[", name, o->value && name[1] == '-' ? "=" : "");
    put_zsh(to, o->help);
    (void)fputs("]", to);
    if (o->value) {
        (void)fputc(':', to);
        put_zsh(to, o->value);
        (void)fputc(':', to);
        if (takes_file(o)) (void)fputs("_files", to);
        else if (o->kind == OPTION_METHOD || strchr(o->value, '|')) {
            (void)fputs("(", to);
            (void)put_values(to, o);
            (void)fputs(")", to);
        }
    }
    (void)fputs("' \\\n", to);
}

static void put_zsh_command(FILE *to, const topic *t)
{
    (void)fprintf(to, "    %s)\n        _arguments \\\n", t->name);
    for (size_t k = 0; k < option_count; k++) {
        const option *o = &options[k];
        if (!is_shown(o, t->command)) continue;
        if (o->brief) put_zsh_option(to, o, o->brief);
        put_zsh_option(to, o, o->name);
    }
    (void)fprintf(to, "            '*:%s:%s'\n        ;;\n",
        t->command == COMMAND_EXPLAIN ? "code" : "file",
        t->command == COMMAND_EXPLAIN ? "" : "_files");
}

static void put_zsh_all(FILE *to)
{
    (void)fputs(
        "#compdef dae\n"
        "# What zsh completes of `dae`; made from its table of options.\n"
        "\n"
        "_dae() {\n"
        "    local -a commands=(\n",
        to);
    for (size_t k = 0; k < topic_count; k++) {
        if (!topics[k].summary) continue;
        (void)fprintf(to, "        '%s:", topics[k].name);
        put_zsh(to, topics[k].summary);
        (void)fputs("'\n", to);
    }
    (void)fputs("    )\n"
                "    if (( CURRENT == 2 )); then\n"
                "        _describe command commands\n"
                "        return\n"
                "    fi\n"
                "    local command=$words[2]\n"
                "    shift words\n"
                "    (( CURRENT-- ))\n"
                "    case $command in\n",
        to);
    for (size_t k = 0; k < topic_count; k++)
        if (is_command(&topics[k])) put_zsh_command(to, &topics[k]);
    (void)fputs("    help) _values topic", to);
    put_topics(to);
    (void)fputs(" ;;\n    esac\n}\n\n_dae \"$@\"\n", to);
}

/* ---- fish ---- */

static void put_fish(FILE *to, const char *text)
{
    (void)fputc('\'', to);
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\') (void)fputc('\\', to);
        (void)fputc(*text, to);
    }
    (void)fputc('\'', to);
}

static void put_fish_option(FILE *to, const topic *t, const option *o)
{
    (void)fprintf(
        to, "complete -c dae -n '__fish_seen_subcommand_from %s'", t->name);
    if (o->brief) (void)fprintf(to, " -s %s", o->brief + 1);
    (void)fprintf(to, " -l %s", o->name + 2);
    if (o->value) (void)fputs(takes_file(o) ? " -r" : " -x", to);
    if (o->kind == OPTION_METHOD || (o->value && strchr(o->value, '|'))) {
        (void)fputs(" -a '", to);
        (void)put_values(to, o);
        (void)fputs("'", to);
    }
    (void)fputs(" -d ", to);
    put_fish(to, o->help);
    (void)fputc('\n', to);
}

static void put_fish_all(FILE *to)
{
    (void)fputs(
        "# What fish completes of `dae`; made from its table of options.\n",
        to);
    for (size_t k = 0; k < topic_count; k++) {
        if (!topics[k].summary) continue;
        (void)fprintf(to,
            "complete -c dae -n __fish_use_subcommand -f -a %s -d ",
            topics[k].name);
        put_fish(to, topics[k].summary);
        (void)fputc('\n', to);
    }
    for (size_t k = 0; k < topic_count; k++)
        for (size_t i = 0; i < option_count && is_command(&topics[k]); i++)
            if (is_shown(&options[i], topics[k].command))
                put_fish_option(to, &topics[k], &options[i]);
    (void)fputs(
        "complete -c dae -n '__fish_seen_subcommand_from help' -f -a '", to);
    put_topics(to);
    (void)fputs("'\n", to);
}

/* ---- files ---- */

static FILE *begin(const char *folder, const char *name)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *to = fopen(path, "w");
    if (!to) perror(path);
    return to;
}

static bool end(FILE *to)
{
    const bool is_fine = !ferror(to);
    return fclose(to) == 0 && is_fine;
}

static bool make(const char *folder, const char *name, void (*put)(FILE *))
{
    FILE *to = begin(folder, name);
    if (!to) return false;
    put(to);
    return end(to);
}

static bool make_command_pages(const char *folder)
{
    for (size_t k = 0; k < topic_count; k++) {
        char name[60];
        if (!is_command(&topics[k])) continue;
        (void)snprintf(name, sizeof name, "dae-%s.1", topics[k].name);
        FILE *to = begin(folder, name);
        if (!to) return false;
        put_command_page(to, &topics[k]);
        if (!end(to)) return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    const bool is_fine = make(argv[1], "dae.1", put_overview_page)
        && make_command_pages(argv[1]) && make(argv[1], "dae.bash", put_bash)
        && make(argv[1], "_dae", put_zsh_all)
        && make(argv[1], "dae.fish", put_fish_all);
    return is_fine ? 0 : 1;
}
