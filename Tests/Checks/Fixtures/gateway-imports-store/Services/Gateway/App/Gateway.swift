import FeedContract
import SQLiteKit

struct Gateway {}
