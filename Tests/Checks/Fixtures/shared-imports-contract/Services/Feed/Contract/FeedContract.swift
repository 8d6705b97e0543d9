import RPC

enum FeedContract {}
