import RPC

extension MethodTable {
    /// Implements a stream of changes. It begins with the next change, or after a mark that the caller names; an unknown mark gets a
    /// reset. It ends only when its log cannot be read.
    /// - Parameters:
    ///   - broadcast: the watchers of the changes.
    ///   - since: the text of the caller's mark; nil for the next change.
    ///   - item: makes the stream's item of an event.
    public mutating func handle<Params, Item, Change>(
        _ method: StreamMethod<Params, Item>, watching broadcast: ChangeBroadcast<Change>,
        since: @escaping @Sendable (Params) -> String?, _ item: @escaping @Sendable (ChangeNews<Change>) -> Item
    ) {
        handle(method) { params, _, items in
            var mark: ChangeMark? =
                if let since = since(params) { ChangeMark(since) } else { try await broadcast.mark() }
            while true {
                let news = try await broadcast.next(after: mark)
                try await items.send(item(news))
                mark = news.mark
            }
        }
    }
}
