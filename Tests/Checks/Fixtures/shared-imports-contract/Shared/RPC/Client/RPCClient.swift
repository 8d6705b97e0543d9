import FeedContract

struct RPCClient {}
