/* Every floating threshold of solver/{reduce,run,events}, with its derivation, but for those
 * of linalg/thresholds.h that mean the same here. tools/dev/floors.py refuses others in
 * these folders. Kinds:
 *
 *   rounding   a multiple of DBL_EPSILON times a size that was computed, or of a
 *              doubt that was
 *   tolerance  a share of rtol or atol, or of a quantity known to them
 *   work       a budget; a ratio of efforts or of lengths of steps; a share of a step or of
 *              what was, which decides when something is looked at
 *
 * Counts that decide a verdict stand at the end. */
#ifndef REDUCE_THRESHOLDS_H
#define REDUCE_THRESHOLDS_H

#include "linalg/thresholds.h"
#include <float.h>

/* ---- rounding ------------------------------------------------------------- */

/* An error that is estimated from a few samples, which do not hit the largest, or that is
 * made of a few others counts so many times: a time of a step is rounded, and so are the
 * step and their sum, and one unit is left; what is assigned has its own tolerance, that
 * of the assignment, and both twice. Ratios that differ by such a part of what they are
 * less than 1 have settled. */
#define DOUBTED 4.0

/* An interval of so many times its rounding is whole, it has two digits; within so many
 * units in the last place times are one place, as a restart leaves some digits to
 * rounding. */
#define WHOLE 256.0
/* Values are this part of a step apart where third differences of what is smooth are
 * below rounding: the cube of it is. */
#define PROBE_SHARE 0x1p-19

/* ---- tolerance ------------------------------------------------------------ */

/* Tolerances by which a value has jumped: what constraints and the error of a step
 * move is a third of that. */
#define HAS_JUMPED 30.0

/* A part that small is gone: Newton's method has ended at a correction of this part of a
 * tolerance, as its square is below rounding. */
#define PART_GONE 1e-6

/* ---- work ----------------------------------------------------------------- */

/* More by a half than before is more than what steps leave to chance. */
#define HALF_MORE 1.5
/* The wait, or the step, beside the last one. */
#define WAIT_GROWTH 4.0
/* The part of a wait or of what is left after which something is looked at
 * early; and of a speed that is counted on from step to step. */
#define WAIT_SHARE 0.75
/* An interval is never crossed in fewer steps where no longest step is given, so that a
 * pulse or an oscillation does not fall between two of them; no round number, lest all
 * of them see the same phase. */
#define STEPS_LEAST 20.618
/* Rates, ratios and proportions that differ by this factor at most are alike: a pick that
 * enlarges errors by no more is as good as any. g is far from its threshold at so many
 * times what it varies by in a step. */
#define ALIKE 2.0
/* A relative tolerance from which on a multistep formula takes so many steps that a
 * method of several stages is done earlier, with more than STAGES_UNKNOWNS_FEW unknowns. */
#define STAGES_RTOL_MOST 1e-5

/* ---- counts that decide a verdict ----------------------------------------- */
enum {
    /* Unknowns up to which its factorizations, four and more of each Jacobian, are cheap
     * beside what a step costs whatever its size. */
    STAGES_UNKNOWNS_MOST = 64,
    /* Unknowns up to which they are less than what the fewer steps save at nearly any
     * tolerance. */
    STAGES_UNKNOWNS_FEW = 12,
    /* So many times larger the tolerance may be with those: 1e-3. Instructions over those of
     * bdf at equal digits, seven of the problems of docs/rivals.md: 1.15 at 2 digits, 1.0 at
     * 3, 0.95 at 4. At 1e-3 errors are a quarter to a thousandth of those of bdf. */
    STAGES_RTOL_FEW = 100,
    /* So many turns at one place are no event any more; a chain of them that comes to
     * an end has a turn or two for each switch. So many events in a row that change
     * nothing do not get on, either. */
    TURNS_AT_A_PLACE = 12,
    /* So many of a kind are many: intervals that are to come, times that are longer; turns
     * that are not at one place but all within so little of the time since the run began
     * that it would never get anywhere, VALUES_ERROR of it; */
    MANY = 64,
    /* for turns within PART_GONE of it, if between them nothing moves by more than some
     * tolerances; and for swings in a row that keep g within what tolerances make of it,
     * each much shorter than the longest. */
    TURNS_MANY = 256,
    /* Turns of a switch that has been made inactive and turns at one place all the
     * same. */
    TURNS_UNNEEDED = 1024,
    /* Times that a switch turns at an instant without anything being assigned: there and
     * back, and that again; where whens fire in between, each time with a slope back. */
    TURNS_TO_AND_FRO = 4,
    PUSHES_MOST = 20,
    /* Rounds at one instant before they are said to go on for ever. */
    ROUNDS_MOST = 100,
    /* A change of sign is believed if tolerances more or less leave it in all of
     * these. */
    TRIALS = 4
};

#endif
