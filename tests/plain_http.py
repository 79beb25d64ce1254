"""The functions of httpx for servers on this machine, without TLS.

Reading the machine's certificates takes 30 ms of processor time for each call, more than most requests.
"""

from functools import partial

import httpx

Client = partial(httpx.Client, verify=False)
get = partial(httpx.get, verify=False)
post = partial(httpx.post, verify=False)
request = partial(httpx.request, verify=False)
stream = partial(httpx.stream, verify=False)
