#!/usr/bin/env bash
# Makes docs/problems.md: every model of the accuracy table against its
# reference at four tolerances. Fails where a run leaves the band.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
export OPENBLAS_NUM_THREADS=1
tools/dev/build.sh release -DDAE_TESTS=ON -DDAE_EXAMPLES=ON
table=$(mktemp)
trap 'rm -f "$table"' EXIT
status=0
build/release/tests/accuracy_table >"$table" || status=$?
{
    cat <<'END'
# Problems against references

Made by `tools/dev/problems.sh`; do not edit. It runs each model of the table to the end of its
interval at four tolerances and compares all its unknowns with values that do not come from this
solver. `tests/problems/accuracy_test.c` asserts the same in every test run: less than 100
tolerances, and falling with the tolerance.

## Columns

* `atol` is rtol times a factor of the problem: 1e-5 for Robertson's reaction to t = 40 and 1e-8 to
  4e10 (B falls to 2e-13), 1e-2 for HIRES and the unscaled van der Pol equation (whose x' is 1e-3),
  1 for the others, whose unknowns are of the size of one.
* `error` is in tolerances: sqrt(mean(((y - ref)/(rtol |ref| + atol))^2)) over all unknowns and
  their derivatives below the highest. 1 means the tolerance exactly; a figure in bold is outside
  the band of 100 or did not fall.
* `scaled` is `error` times rtol: the same norm for all four tolerances, and so what must fall.
* `worst` is the value farthest from its reference, in tolerances.
* `steps` are accepted, `rejected` are not; `iterations` are Newton's; `order` is the highest used.
  There are no times here: the same program prints the same table.

A solver keeps the error of each step below the tolerance; what comes out at the end is what the
problem makes of all of them together. The pendulum has no friction, so an error shifts its energy
and with it the period, and is seen from then on: a displacement of 1e-6 at the start is 1.0e-5 at
t = 10 (classical Runge-Kutta, 2e5 steps).

## References

| models | values |
|---|---|
| hires, chemical_akzo_nobel, transistor_amplifier, van_der_pol_mu | Test Set for IVP Solvers (Bari/CWI), release 2.4, confirmed by an independent solver: `tests/data/reference/ivp.json` |
| robertson (all four), van_der_pol | an independent solver in extended precision, extrapolated, confirmed by RADAU5 at rtol 3e-14: the same file |
| pendulum_minimal | Taylor extrapolation in 113-bit arithmetic, the angle confirmed by elliptic functions: the same file |
| tank1, heat2d | closed forms, written in `tests/support/accuracy.c` apart from the model's text |
| brusselator2d | all 882 unknowns by the classical Runge-Kutta method in extended precision, extrapolated: `tests/data/reference/brusselator2d.csv`, made by `brusselator2d.c` beside it |

The transistor amplifier's reference is known to 10 to 11 digits, the others to 13 or more.

## Results

END
    cat "$table"
} >docs/problems.md
tail -n 1 docs/problems.md
exit $status
