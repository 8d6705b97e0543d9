import NIOCore

/// Counts the calls of a server, method by method. Names come from outside, so only known ones get a place of their own:
/// what is counted stays small whatever peers ask for.
struct CallCounter {
    /// The call's place, for when it is answered.
    struct Ticket {
        fileprivate let place: Int
        let began: NIODeadline
    }

    private var counts: [(name: String, statistics: MethodStatistics)]

    /// By the name of a method, or that of a service whose methods are forwarded.
    private var places: [Substring: Int]

    private let isForwarded: @Sendable (String) -> Bool

    /// Where everything goes that has no place of its own.
    private static let other = 0

    /// Services come and go while a gateway runs.
    private static let mostForwarded = 256
    private let most: Int

    init(_ methods: MethodTable) {
        let names = ["other"] + methods.names.sorted()
        counts = names.map { ($0, MethodStatistics()) }
        places = Dictionary(uniqueKeysWithValues: names.enumerated().dropFirst().map { (Substring($1), $0) })
        isForwarded = methods.isForwarded
        most = names.count + Self.mostForwarded
    }

    mutating func begin(_ method: String) -> Ticket {
        let place = place(of: method)
        counts[place].statistics.calls += 1
        counts[place].statistics.underWay += 1
        return Ticket(place: place, began: .now())
    }

    /// - Parameters:
    ///   - error: nil for a call that went well.
    ///   - isStream: how long a stream was watched is no latency.
    mutating func end(_ ticket: Ticket, _ error: ErrorKind?, isStream: Bool = false) {
        counts[ticket.place].statistics.underWay -= 1
        if !isStream { counts[ticket.place].statistics.latency.add(.now() - ticket.began) }
        if let error { counts[ticket.place].statistics.errors[error.rawValue, default: 0] += 1 }
    }

    /// A call that was answered without having begun.
    mutating func refuse(_ method: String, _ error: ErrorKind) {
        let place = place(of: method)
        counts[place].statistics.calls += 1
        counts[place].statistics.errors[error.rawValue, default: 0] += 1
    }

    /// Those that were called.
    var methods: [String: MethodStatistics] {
        Dictionary(uniqueKeysWithValues: counts.filter { $0.statistics.calls > 0 }.map { ($0.name, $0.statistics) })
    }

    private mutating func place(of method: String) -> Int {
        if let place = places[method[...]] { return place }
        guard let dot = method.utf8.firstIndex(of: UInt8(ascii: ".")) else { return Self.other }
        let service = method[..<dot]
        if let place = places[service] { return place }
        guard counts.count < most, isForwarded(String(service)) else { return Self.other }
        places[Substring(String(service))] = counts.count
        counts.append(("\(service).*", MethodStatistics()))
        return counts.count - 1
    }
}
