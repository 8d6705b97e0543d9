@testable import Feed
import GRDB

struct CommentsService {}
