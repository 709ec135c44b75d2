#include "linalg/blas.h"

#if defined __GNUC__ && defined __ELF__
/* Present where the BLAS is OpenBLAS, null otherwise. */
extern void openblas_set_num_threads(int count) __attribute__((weak));

void blas_use_one_thread(void)
{
    if (openblas_set_num_threads) openblas_set_num_threads(1);
}

#else

void blas_use_one_thread(void)
{
}

#endif
