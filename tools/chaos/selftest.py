"""Does the checker find what is broken on purpose?"""
import breaches


def selftest(options):
    missed = 0
    for name, invariant, found in breaches.breaches():
        print(f"  {'found' if found is True else 'MISSED'}  {invariant:6} {name.replace('_', ' ')}"
              + ("" if isinstance(found, bool) else f" {found}"))
        missed += found is not True
    print(f"chaos: {missed} missed" if missed else "chaos: every breach was found")
    return 1 if missed else 0
