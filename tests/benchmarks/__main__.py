"""Run all benchmarks and print a line for each figure."""

import gc

from tests.benchmarks import edge, files, kernel, search


def main() -> None:
    """Print the table as it grows."""
    gc.freeze()  # as the processes of the service do
    for part in (kernel, files, search, edge):
        for name, figure in part.rows():
            print(f"{name:<62}{figure}", flush=True)


if __name__ == "__main__":
    main()
