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

/* Units in the last place by which states and times are off: those of a sum of
 * some ten terms of one size, as a step and the place of a root are. */
#define UNITS_OFF 16.0
/* Units in the last place of its size by which g itself is rounded: a handful of
 * operations, each a half. */
#define G_UNITS 8.0
/* Units in the last place of t that two times of a step are apart at least: t, the step
 * and their sum are rounded, and one is left. */
#define TIME_UNITS 4.0
/* An error that is estimated from a few samples counted so many times: they do not hit
 * the largest. Ratios that differ by such a part of what they are less than 1 have
 * settled: their sum is known to about as much. */
#define DOUBTED 4.0
/* A number that is so many times its doubt is clear of it: three digits; a slope at the end
 * of a step a digit more, as a polynomial of degree 8 loses two there. */
#define CLEARLY 1e3
/* An interval of so many times its rounding is whole, it has two digits; within so many
 * units in the last place times are one place, as a restart leaves some digits to
 * rounding. */
#define WHOLE 256.0
/* What rounding leaves of differences of values that follow from each other by some
 * thousand operations: the last seven of 16 digits, when squared nothing. */
#define ROUNDING_LEAVES 1e-9

/* ---- tolerance ------------------------------------------------------------ */

/* Tolerances within which g is at its threshold where the values it reads follow
 * from others: dense output, and equations that are near singular, lose three digits. */
#define FOLLOWED_NEAR 1e3
/* Tolerances beyond which values have left a place: the error of a run is some
 * tolerances, and ten are more. */
#define HAS_LEFT 10.0
/* Tolerances that what is at its threshold by what is assigned, or held, is moved by at
 * most: its own, that of the assignment, and both twice. */
#define ASSIGNED_NEAR 4.0
/* Tolerances by which a value has jumped: what constraints and the error of a step
 * move is a third of that. */
#define HAS_JUMPED 30.0
/* This part of a tolerance is nothing to it, nor are some hundred of them together. */
#define NEGLIGIBLE 1e-3
/* Newton's method has ended at a correction of this part of a tolerance: the next one,
 * its square, is below rounding. */
#define SOLVED 1e-6
/* It has also ended where rounding leaves no more than this part. */
#define SOLVED_TO_ROUNDING 1e-2
/* The relative tolerance of points that stand for exact ones, three digits above
 * rounding. */
#define FINE_RTOL 1e-13
/* Sizes that differ by this part are one where a value is the double root of something
 * known to the default rtol, 1e-3, and a digit. */
#define SIZE_NEAR 1e-2
/* A part that is as small as the default rtol is gone. */
#define PART_GONE 1e-6

/* ---- work ----------------------------------------------------------------- */

/* Sizes that differ by less are of one order of magnitude: a pick, and g beside a pole,
 * are looked at again for more; another try is so many times as far away. */
#define SIZES_APART 1e3
/* More by a half than before is more than what steps leave to chance. */
#define HALF_MORE 1.5
/* The wait, or the step, beside the last one. */
#define WAIT_GROWTH 4.0
/* The part of a wait or of what is left after which something is looked at
 * early; and of a speed that is counted on from step to step. */
#define WAIT_SHARE 0.75
/* A share of a step, an interval or a determinant that is short beside the whole, and
 * far above its rounding. */
#define SHORT_SHARE 1e-3
/* The smaller part of the golden section: a mathematical constant. */
#define GOLDEN 0.38196601125010515
/* An interval is never crossed in fewer steps where no longest step is given, so that a
 * pulse or an oscillation does not fall between two of them; no round number, lest all
 * of them see the same phase. */
#define STEPS_LEAST 20.618
/* Rates, ratios and proportions that differ by this factor at most are alike: a pick that
 * enlarges errors by no more is as good as any. g is far from its threshold at so many
 * times what it varies by in a step. */
#define ALIKE 2.0
/* Values are this part of a step apart where third differences of what is smooth are
 * below rounding: the cube of it is. */
#define PROBE_SHARE 0x1p-19
/* So many of a kind are many: intervals that are to come, times that are
 * longer. */
#define MANY 64.0
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
    /* So many times larger the tolerance may be with those: 3e-4. Time over that of bdf at
     * equal digits, seven of the problems of docs/rivals.md: 1.3 at 3 digits, 0.7 at 5,
     * 0.6 at 7. */
    STAGES_RTOL_FEW = 30,
    /* So many turns at one place are no event any more; a chain of them that comes to
     * an end has a turn or two for each switch. So many events in a row that change
     * nothing do not get on, either. */
    TURNS_AT_A_PLACE = 12,
    /* The same for turns that are not at one place but all within so little of the time
     * since the run began that it would never get anywhere, ROUNDING_LEAVES of it; */
    TURNS_IN_LITTLE = 64,
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
