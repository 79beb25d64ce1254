"""The former place of `workers.processes.worker`: a `crumbtrail up` of 0.1 that is reloaded still starts it here."""

from workers.processes.worker import main

if __name__ == "__main__":
    main()
