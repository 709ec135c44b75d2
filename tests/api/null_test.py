"""Every public function with NULL for each pointer and numbers that nothing has, then those
of a model and of a solver with one of these and the rest likewise: each answers, and a
status is not DAE_OK. Called with the build folder and the root of the sources."""

import os
import re
import subprocess
import sys
import tempfile

BUILD, ROOT = (os.path.abspath(word) for word in sys.argv[1:3])
# with a model or a solver alone these have something to do
ALLOWED = {'dae_model_note_switches', 'dae_model_observe', 'dae_solver_initialize', 'dae_solver_step',
           'dae_observer_create', 'dae_columns_create', 'dae_run_solve', 'dae_run_prepare', 'dae_run_start',
           'dae_run_finish', 'dae_run_find_global_error', 'dae_run_analyse', 'dae_run_make_solver',
           'dae_run_keep', 'dae_run_to_event', 'dae_orders_check', 'dae_report_status', 'dae_run_set_number', 'dae_run_set_word', 'dae_run_estimate_error'}
PROTOTYPE = re.compile(r'^DAE_API\s+([^;{]*?)\b(dae_\w+)\(([^;]*?)\)\s*(?:DAE_MUST_CHECK)?;', re.M | re.S)


def prototypes():
    for folder in ['solver', 'lang']:
        path = os.path.join(ROOT, folder, 'include/dae')
        for name in sorted(os.listdir(path)):
            with open(os.path.join(path, name), encoding='utf-8') as file:
                text = re.sub(r'/\*.*?\*/', '', file.read(), flags=re.S)
            for kind, function, words in PROTOTYPE.findall(text):
                yield kind.strip(), function, ' '.join(words.split())


def nothing(word):
    """An argument for a parameter."""
    if '*' in word or word.endswith(']') or word.split()[0].endswith('_fn'):
        return 'NULL'
    kind = ' '.join(word.replace('const ', '').split()[:-1])
    return f'({kind})99999' if kind in ('size_t', 'int', 'int32_t') else f'({kind}){{0}}'


def calls():
    """function, whether it returns a status, call"""
    for kind, function, words in prototypes():
        given = [] if words == 'void' else [nothing(w) for w in words.split(',')]
        is_status = kind.endswith('dae_status')
        yield function, is_status, f'{function}({", ".join(given)})'
        for first, own in [('dae_model *', 'model'), ('dae_solver *', 'solver'), ('dae_run *', 'run'),
                           ('dae_orders *', 'orders'), ('dae_report *', 'report'),
                           ('dae_found_start *', 'found')]:
            if first in words.split(',')[0] and not function.endswith('_free'):
                more = [own] + given[1:]
                yield (function, is_status and function not in ALLOWED,
                       f'{function}({", ".join(more)})')
                if 'char *text' in words:
                    more = [own] + ['text' if 'char *text' in w else 'sizeof text' if w.strip() == 'size_t size'
                                    else g for g, w in zip(given[1:], words.split(',')[1:])]
                    yield function, False, f'{function}({", ".join(more)})'


HEAD = '''#include <dae/dae.h>
#include <dae/stability.h>
#include <dae/analysis.h>
#include <dae/closed_form.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static int failed;
static void judge(const char *name, pid_t child)
{
    int status = 0;
    (void)waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    failed++;
    if (WIFSIGNALED(status)) printf("%s ends by signal %d\\n", name, WTERMSIG(status));
    else printf("%s says that all is fine\\n", name);
}
int main(void)
{
    static const char model_text[] = "var x = 1 {m}\\nx' = -x\\nlet y = x\\nsolve t in 0..1\\n";
    char text[8];
    pid_t child;
    dae_model *model;
    dae_solver *solver;
    dae_run *run;
    dae_orders *orders;
    dae_report *report;
    dae_found_start *found;
    if (dae_model_parse("m.dae", model_text, sizeof model_text - 1, NULL, NULL, NULL, &model)) return 2;
    if (dae_solver_create(dae_model_problem(model), NULL, NULL, NULL, &solver)) return 2;
    if (dae_run_parse("m.dae", model_text, sizeof model_text - 1, NULL, NULL, NULL, &run)) return 2;
    if (dae_orders_create(NULL, NULL, &orders) || dae_orders_solve(orders, run)) return 2;
    if (dae_run_start(run) || dae_found_start_create(run, 0, NULL, &found)) return 2;
    if (dae_run_solve(run)) return 2;
    if (dae_report_create(run, 0, NULL, NULL, &report)) return 2;
    (void)fflush(stdout);
'''


def main():
    lines, count = [HEAD], 0
    for function, is_status, call in calls():
        what = f'_exit({call} == DAE_OK)' if is_status else f'(void){call}; _exit(0)'
        lines.append(f'    if (!(child = fork())) {{ {what}; }}\n    judge("{call}", child);\n')
        count += 1
    if count < 300:
        sys.exit(f'only {count} calls were found')
    lines.append('    return failed != 0;\n}\n')
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, 'null.c'), os.path.join(folder, 'null')
        with open(source, 'w', encoding='utf-8') as file:
            file.write(''.join(lines))
        find = ['-I' + os.path.join(ROOT, f, 'include') for f in ('solver', 'lang')]
        libraries = [os.path.join(BUILD, f'libdae_{name}.a') for name in ('run', 'lang', 'solver')]
        klu = ['-lklu', '-lbtf', '-lamd', '-lcolamd', '-lsuitesparseconfig', '-ldl', '-lm']
        subprocess.run(['cc', '-std=gnu11', '-w', *find, '-o', program, source, *libraries, *klu],
                       check=True)
        result = subprocess.run([program], stdout=subprocess.PIPE, text=True)
        print(result.stdout, end='')
        if result.returncode:
            print(f'of {count} calls')
        sys.exit(result.returncode)


main()
