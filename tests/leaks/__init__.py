"""Nothing leaked: what leaves the service, by any way, depends only on what its reader may know."""
