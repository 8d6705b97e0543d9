import Feed
public import RPC

enum FeedContract {}
