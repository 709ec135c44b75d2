/* What dae_analyse says of a system of random_dae.h, judged. */
#ifndef SUPPORT_RANDOM_JUDGE_H
#define SUPPORT_RANDOM_JUDGE_H

#include "check.h"
#include "random_dae.h"

typedef enum judgement { RIGHT, UNCERTAIN, WRONG } judgement;

typedef struct random_verdict {
    judgement structure, start;
    bool is_unnamed; /* no index, and the reason not told by its name */
    char why[160];
} random_verdict;

/* Reads the text, analyses it, and compares. */
void random_judge(const random_dae *d, random_verdict *v);

#endif
