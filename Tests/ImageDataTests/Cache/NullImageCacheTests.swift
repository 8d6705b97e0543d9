import ImageData
import Testing

@Suite struct NullImageCacheTests {
    @Test(arguments: [Eviction.urls([url(1)]), .storedUpTo(moment(60)), .downTo(bytes: 0)])
    func `every operation succeeds and nothing is stored`(eviction: Eviction) {
        let cache = NullImageCache()
        cache.keep(CachedImage(stored(1)), at: url(1), while: { true })
        cache.touch(url(1))
        #expect(cache.image(at: url(1)) == nil)
        #expect(cache.record(at: url(1)) == nil)
        #expect(cache.evict(eviction) == Evicted(urls: 0, bytes: 0))
    }
}
