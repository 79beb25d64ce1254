"""The former place of `workers.processes.dispatcher`, which a running `crumbtrail up` of 0.1 starts on reload."""

from workers.processes.dispatcher import main

if __name__ == "__main__":
    main()
