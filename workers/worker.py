"""The former location of `workers.processes.worker`. A running `crumbtrail up` of 0.1 starts it on reload."""

from workers.processes.worker import main

if __name__ == "__main__":
    main()
