/* Explicit Euler, order 1, at constant step as data. */
#ifndef METHODS_EULER_H
#define METHODS_EULER_H

#include <dae/stability.h>

const dae_method *euler_method(void);

#endif
