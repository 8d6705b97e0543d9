import Comments
import CommentsContract
import FeedContract

struct CommentsService {}
