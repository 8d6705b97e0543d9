import ServiceKit

/// A failure of the database or of the connection to it.
public enum PostgresError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The server has refused a statement.
    /// - Parameters:
    ///   - code: the SQLSTATE.
    ///   - message: the server's primary message, without values of rows.
    case refused(code: String, message: String)

    /// The connection has ended.
    case lost(String)

    /// The server has not answered in time.
    case silent

    /// A value of a row is not of the type that the schema has.
    case undecodable

    /// The database cannot be used as it is.
    case unusable(DatabaseUnusable)

    public var description: String {
        switch self {
        case .refused(let code, let message): "\(message) (SQLSTATE \(code))"
        case .lost(let message): "the connection was lost: \(message)"
        case .silent: "the server does not answer"
        case .undecodable: "a value has an unexpected type"
        case .unusable(let reason): "\(reason)"
        }
    }
}

/// Why a database cannot be used until an operator has changed something, or it can be reached again.
public enum DatabaseUnusable: Error, Equatable, Sendable, CustomStringConvertible {
    /// libpq is not installed.
    case noLibrary

    /// - Parameter message: libpq's, on one line. It never has a password.
    case noConnection(String)

    /// - Parameter version: as in `server_version_num`.
    case old(version: Int)
    case readOnly
    case encoding(String)
    case foreign(schema: String)
    case newer(schema: String)
    case noRight(String)

    /// Another service changes the tables, or uses them while they must change.
    case locked
    case other(String)

    public var description: String {
        switch self {
        case .noLibrary:
            "libpq.so.5 is not installed; install libpq5 (Debian), libpq (Fedora) or PostgreSQL's client library"
        case .noConnection(let message):
            "no connection: \(message); check the server, and the URL, user and password (PGPASSWORD, or the password file)"
        case .old(let version):
            """
            its server is PostgreSQL \(version / 10_000), and \(Self.oldestVersion / 10_000) or later is needed; upgrade the server
            """
        case .readOnly:
            "it is a read-only standby; use the URL of the primary, or add target_session_attrs=read-write with all hosts"
        case .encoding(let name): "its encoding is \(name); create one with ENCODING 'UTF8'"
        case .foreign(let schema): "its schema \(schema) belongs to another program; use another database"
        case .newer(let schema): "a newer version of this program has changed its schema \(schema); run that version"
        case .noRight(let message):
            "the user lacks a right: \(message); grant it (GRANT CREATE ON DATABASE … TO …), or name another user"
        case .locked:
            "its tables are locked: another service changes them, or uses them while they must change; see pg_stat_activity"
        case .other(let message): message
        }
    }

    /// The oldest server that is used, as in `server_version_num`.
    public static let oldestVersion = 130_000

    static func refusal(ofVersion version: Int) -> DatabaseUnusable? {
        version < oldestVersion ? .old(version: version) : nil
    }
}

/// The kinds of failure as operators and callers distinguish them.
enum PostgresTrouble: Equatable {
    case full(String)

    /// Another writer holds the store.
    case busy
    case unusable(String)
    case damaged(String)

    /// Nil for an error that is a fault of the program, or none of the database.
    init?(_ error: any Error) {
        guard let error = error as? PostgresError else { return nil }
        switch error {
        case .refused(let code, let message): self.init(code: code, message: message)
        case .lost, .silent, .unusable: self = .unusable("\(error)")
        case .undecodable: self = .damaged("\(error)")
        }
    }

    private init?(code: String, message: String) {
        switch code {
        // disk_full; lock_not_available, deadlock_detected, serialization_failure.
        case "53100": self = .full(message)
        case "55P03", "40P01", "40001": self = .busy
        // data_corrupted, index_corrupted.
        case "XX001", "XX002": self = .damaged(message)
        // insufficient_privilege, read_only_sql_transaction, undefined_table, undefined_column, invalid_schema_name, io_error.
        case "42501", "25006", "42P01", "42703", "3F000", "58030": self = .unusable("\(message) (SQLSTATE \(code))")
        default:
            // Connections, authorisation, resources, shutdown, and query_canceled by the time-out of a statement.
            guard ["08", "28", "53", "57"].contains(code.prefix(2)) else { return nil }
            self = .unusable("\(message) (SQLSTATE \(code))")
        }
    }

    var error: StoreError {
        switch self {
        case .full: .full
        case .busy: .busy
        case .unusable: .unreachable
        case .damaged: .damaged
        }
    }

    /// What it concerns; nil for a lock held by another writer, which is temporary, not a state of the store.
    func cause(_ use: StoreMonitor.Use) -> StoreMonitor.Cause? {
        switch self {
        case .busy: nil
        case .damaged: .damage
        case .full: .failing(.writing)
        case .unusable: .failing(use)
        }
    }

    func report(_ place: String) -> String {
        switch self {
        case .full: "nothing was written: the disk of the database \(place) is full; free some space and try again"
        case .busy: "another writer holds the database \(place); try again"
        case .unusable(let reason): "cannot use the database \(place): \(reason)"
        case .damaged(let reason): "the database \(place) is damaged (\(reason)); restore it from a copy"
        }
    }
}
