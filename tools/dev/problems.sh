#!/usr/bin/env bash
# Makes docs/problems.md: every model of the accuracy table against its
# reference at four tolerances, those above index 1 at three. Fails where a run
# leaves the band.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
export OPENBLAS_NUM_THREADS=1
for target in accuracy_table constraint_gaps; do
    DAE_TARGET=$target tools/dev/build.sh release -DDAE_TESTS=ON -DDAE_EXAMPLES=ON
done
DAE_TARGET=dae tools/dev/build.sh release
table=$(mktemp) above=$(mktemp)
trap 'rm -f "$table" "$above"' EXIT
status=0
build/release/tests/accuracy_table >"$table" || status=$?
python3 tests/problems/higher_index_test.py build/release/dae \
    build/release/tests/constraint_gaps . table >"$above" || status=$?
{
    cat <<'END'
# Problems against references

Made by `tools/dev/problems.sh`; do not edit. It runs each model of index 0 or 1 in the table to the end of its
interval at four tolerances and compares all its unknowns with values that do not come from this
solver. `tests/problems/accuracy_test.c` asserts the same in every test run: an error below 100
tolerances (more for the problems listed under Growth) that falls with the tolerance. The set is the
same in every build.

## Columns

* `atol` is rtol times a factor of the problem: 1e-5 for Robertson's reaction to t = 40, 1e-8 to
  4e10 (B falls to 2e-13) and 1e-22 for E5 (which goes down to 1e-22), 1e-2 for HIRES, pollution, the
  ring modulator and the unscaled van der Pol equation (whose x' is 1e-3), 1 for the others, whose
  unknowns are of the size of one.
* `error` is in tolerances: sqrt(mean(((y - ref)/(rtol |ref| + atol))^2)) over all unknowns and
  their derivatives below the highest. 1 means the tolerance exactly; a figure in bold is outside
  its band or did not fall.
* `scaled` is `error` times rtol: the same norm for all four tolerances, and so what must fall
  (down to 1e-14: what is below are roundings).
* `worst` is the value farthest from its reference, in tolerances.
* `steps` are accepted, `rejected` are not; `iterations` are Newton's; `order` is the highest used.
  There are no times here: the same program prints the same table.

## Growth

A solver keeps the error of each step below the tolerance; what comes out at the end is what the
problem makes of all of them together. The pendulum has no friction, so an error shifts its energy
and with it the period, and is seen from then on: a displacement of 1e-6 at the start is 1.0e-5 at
t = 10 (classical Runge-Kutta, 2e5 steps). Where a problem makes so much of errors that 100 tolerances
are not enough, or hardly, the band is 100 times this factor:

| model | factor | why |
|---|---|---|
| rigid_body_middle_axis | 6.8e4 | unstable spin: errors grow like exp(0.83 t) near it, again at every turn |
| rotation_vector_fast | 153 | no friction, and velocities of 100 beside angles of 1 |
| net3d_gravity_tensions | 63 | undamped; a tension is up to 120 times a length |
| lennard_jones | 43 | no friction, collisions |
| rigid_body_spring | 40 | no friction, and gravity drives the turning |
| net4_tensions | 20 | undamped; a tension is up to 70 times a length |
| net2d_conservative, with tensions | 16, 6.8 | undamped |
| rigid_body | 14 | an error of L shifts all later attitudes |
| pendulum, in five forms of index 2 and 3 | 5.8 | no friction |
| pendulum_velocity | 26 | the length of the rod is free |
| pendulum_acceleration | 148 | so is its rate |
| double_pendulum_level | 5.5 | no friction |

The factor is the largest ratio of a displacement at the end to the displacement at one of twenty
instants of the run, of one state at a time, both in the norm of the column `error`. It is measured by the
classical Runge-Kutta method, apart from this solver: `tests/data/reference/growth.c`; half its step changes
no factor by more than 1e-6.

The ring modulator oscillates thousands of times with currents of 1e-6 beside voltages of 1; every
solver leaves many tolerances there. Its measure is IDA 6.4.1 (dense, exact Jacobian): the value farthest
off may be twice as far off as IDA's at the same tolerance, which is 1.0e3, 3.5e3, 9.8e3 and 2.2e4 tolerances.

Two of higher index are measured by other solvers: the car axis by RADAU5 at rtol = atol = 1e-8, told the index of
each unknown, which leaves 3000 tolerances in speeds (factor 30); the pendulum that turns over, whose phase is never
forgotten, by DASPK on the form of index 1 at 1e-9, which leaves 1.7e4 tolerances at t = 10 and 8e6 at t = 100.

## References

| models | values |
|---|---|
| hires, chemical_akzo_nobel, transistor_amplifier, van_der_pol_mu | Test Set for IVP Solvers (Bari/CWI), release 2.4, confirmed by an independent solver: `tests/data/reference/ivp.json` |
| robertson (all four), van_der_pol | an independent solver in extended precision, extrapolated, confirmed by RADAU5 at rtol 3e-14: the same file |
| pendulum_minimal | Taylor extrapolation in 113-bit arithmetic, the angle confirmed by elliptic functions: the same file |
| pollution, oregonator, ring_modulator | Test Set for IVP Solvers, confirmed by an independent solver: `tests/data/reference/systems.json` |
| e5 | an independent solver in extended precision, extrapolated; the published values differ in the fourth digit: the same file |
| medical_akzo_nobel | an independent solver at rtol 3e-14, confirmed by a second method: the same file |
| net*, chain_hanging, rotation_vector_*, director_dipole, rigid_body*, double_pendulum, elastic_pendulum, lennard_jones, batch_reactor, stiff_limit | extrapolation in 113-bit arithmetic at tolerance 1e-26, confirmed by an independent program: the same file |
| rotation_vector_turn, stiff_limit_dae, singular_mass | closed forms: the same file |
| batch_reactor_steady, batch_reactor_bound | an independent solver in double precision: the same file |
| cosine_root, exponential_infinite | quadrature: the same file |
| tank1, heat2d | closed forms, written in `tests/support/accuracy_cases.c` apart from the model's text |
| brusselator1d, brusselator2d | all unknowns by the classical Runge-Kutta method in extended precision, extrapolated: `tests/data/reference/brusselator1d.csv` and `brusselator2d.csv`, made by the programs beside them |

The reference of medical_akzo_nobel is known to 9.7 digits, those of the ring modulator, E5, the transistor
amplifier and pollution to 10 to 11, of batch_reactor_steady to 12, the others to 12.8 or more.
Models above index 1 name their references themselves.

## Results

END
    cat "$table"
    cat <<'END'

## Above index 1

`tests/problems/higher_index_test.py` runs the models above index 1 (and the last form of the pendulum, of index 1) from
their texts at three tolerances, atol being to rtol as in the model, and asserts an error below 100 tolerances, times
the factor under Growth, and constraints below 10. `error` and `worst` are over all values that the model's `expect` lines give
references for, at the time where they are farthest off.

Constraints are all F_i^(k), k = 0 .. c_i, of the equations that are differentiated (c_i > 0), those of the text and
those hidden, as many as `constraints` says (0: nothing is reduced), at the start and at every accepted step
(`tests/problems/constraint_gaps.c`, by power series). Of a constraint F that depends on slots s (unknowns and derivatives)
the difference of its sides is told in parts of the lesser of

    sum over s of |dF/ds| (rtol |s| + atol)   and   rtol (sum over s of |dF/ds s|) + atol .

By the first, 1 means that F would hold if every slot were moved by one tolerance of its own [OP64], however F is scaled;
by the second large slots excuse nothing where the terms of F are small. `lower` is the one that is broken most of k < c_i,
which restrict the states; `last` of k = c_i, which determine the highest derivatives. `changes` are those of states.

| model | index | rtol | atol | error | worst | constraints | lower | last | steps | rejected | residuals | iterations | Jacobians | factorizations | changes | order |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
END
    cat "$above"
} >docs/problems.md
tail -n 1 "$table"
tail -n 1 "$above"
exit $status
