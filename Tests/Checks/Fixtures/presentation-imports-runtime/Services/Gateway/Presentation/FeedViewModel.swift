import Foundation
import RPC

struct FeedViewModel {}
