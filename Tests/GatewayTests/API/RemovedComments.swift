import CommentsContract

/// The feed's contract has a `Count` too.
typealias RemovedComments = Count
