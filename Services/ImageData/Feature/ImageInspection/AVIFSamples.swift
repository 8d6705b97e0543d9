/// The samples of a track: `stsz` has their lengths, `stco` or `co64` the offsets of chunks of samples, and `stsc` the
/// number of samples in each chunk (in runs).
struct AVIFSamples {
    private let count: Int
    /// The length of every sample; nil when the lengths differ.
    private let commonLength: Int?
    private var lengths: ByteCursor
    private var runs: ByteCursor
    private var places: ByteCursor
    private let hasWidePlaces: Bool

    init(_ table: ByteCursor) throws(ImageRejection) {
        lengths = try table.requiredBox("stsz")
        _ = try lengths.versionAndFlags()
        let length = Int(try lengths.bigEndian(UInt32.self))
        commonLength = length == 0 ? nil : length
        count = Int(try lengths.bigEndian(UInt32.self))
        runs = try table.requiredBox("stsc")
        _ = try runs.versionAndFlags()
        let wide = try table.box("co64")
        hasWidePlaces = wide != nil
        places = if let wide { wide } else { try table.requiredBox("stco") }
        _ = try places.versionAndFlags()
    }

    /// Checks that each sample is inside the file.
    /// - Returns: the number of samples.
    func check(fileLength: Int) throws(ImageRejection) -> Int {
        var walk = self
        var left = count
        let chunks = Int(try walk.places.bigEndian(UInt32.self))
        var run = try Runs(&walk.runs)
        for chunk in 0..<chunks {
            let samples = try run.samples(inChunk: chunk + 1, &walk.runs)
            guard samples <= left else { throw Self.wrongCount }
            left -= samples
            let length = try walk.length(ofNext: samples)
            let place = try walk.nextPlace()
            guard length <= fileLength, place <= fileLength - length else { throw .truncated(.avif) }
        }
        guard left == 0 else { throw Self.wrongCount }
        return count
    }

    private mutating func length(ofNext samples: Int) throws(ImageRejection) -> Int {
        if let commonLength {
            let (length, overflow) = samples.multipliedReportingOverflow(by: commonLength)
            return overflow ? .max : length
        }
        var total = 0
        for _ in 0..<samples { total += Int(try lengths.bigEndian(UInt32.self)) }
        return total
    }

    private mutating func nextPlace() throws(ImageRejection) -> Int {
        hasWidePlaces
            ? Int(clamping: try places.bigEndian(UInt64.self)) : Int(try places.bigEndian(UInt32.self))
    }

    /// Each run applies from its first chunk up to that of the next run.
    private struct Runs {
        private var left: Int
        private var samples = 0
        private var next: (chunk: Int, samples: Int)?

        init(_ fields: inout ByteCursor) throws(ImageRejection) {
            left = Int(try fields.bigEndian(UInt32.self))
            try advance(&fields)
        }

        mutating func samples(inChunk chunk: Int, _ fields: inout ByteCursor) throws(ImageRejection) -> Int {
            if let next, next.chunk == chunk {
                samples = next.samples
                try advance(&fields)
            }
            return samples
        }

        private mutating func advance(_ fields: inout ByteCursor) throws(ImageRejection) {
            next = nil
            guard left > 0 else { return }
            left -= 1
            next = (Int(try fields.bigEndian(UInt32.self)), Int(try fields.bigEndian(UInt32.self)))
            try fields.skip(4)  // sample description index
        }
    }

    private static var wrongCount: ImageRejection { .malformed(.avif, "a track with the wrong number of samples") }
}
