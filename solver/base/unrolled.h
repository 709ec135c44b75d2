/* For functions whose loops have few turns, of a number that is known where they are
 * called: they are copied there, and the compiler unrolls them. */
#ifndef BASE_UNROLLED_H
#define BASE_UNROLLED_H

#if defined(__GNUC__)
#define UNROLLED static inline __attribute__((always_inline))
#else
#define UNROLLED static inline
#endif

#endif
