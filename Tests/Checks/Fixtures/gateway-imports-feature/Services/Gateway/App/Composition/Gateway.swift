import Feed
import FeedContract

struct Gateway {}
