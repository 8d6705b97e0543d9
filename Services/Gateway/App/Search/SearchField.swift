/// The search field in the bar of every page. The page of results has its own, which is wider.
enum SearchField {
    static func model(_ reader: Reader, isDown: Bool) -> [String: Any?] {
        let query = Query(form: reader.target.query)
        return [
            "s": SearchText.all(in: reader.language), "isResults": reader.target.path == ["search"],
            "query": query.value("q") ?? "",
            "hint": isDown
                ? SearchText.unavailable.text(in: reader.language) : SearchText.search.text(in: reader.language),
        ]
    }
}
