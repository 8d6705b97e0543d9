import Foundation
import NIOCore

struct FeedImage {}
