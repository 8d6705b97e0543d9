import Upstream

print(UpstreamSettings().limits.redirects)
