import CommentsContract

/// Distinguishes it from the feed contract's `Count`.
typealias RemovedComments = Count
