@preconcurrency import struct GRDB.Row
import Foundation

struct FeedImage {}
