/// All cases, in the order of the report.
func allCases(feedItems: Int) -> [any Case] {
    LoadCase.mainCase + LoadCase.sizes + LoadCase.underWay + [LoadCase.besideLarge, .cancelling, .computing]
        + DeafPeer.all + [
            StartAndMemory(), FeedPages(items: feedItems), IdlePrograms(),
        ]
}
