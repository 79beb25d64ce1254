"""The former location of `workers.processes.dispatcher`. A running `crumbtrail up` of 0.1 starts it on reload."""

from workers.processes.dispatcher import main

if __name__ == "__main__":
    main()
