import Foundation
import RPCTestKit

/// A supervisor in a few lines of perl. It opens sockets and starts a program with them, as systemd does.
enum SocketSupervisor {
    static let isThere = FileManager.default.isExecutableFile(atPath: "/usr/bin/perl")

    /// The passed descriptors 3, 4, …
    enum Passed {
        case listener(String)
        case abstractListener(String)
        case datagram(String)

        /// At a free port.
        case tcpListener
        case nothing

        fileprivate var text: String {
            switch self {
            case .listener(let path): "listener \(path)"
            case .abstractListener(let name): "listener @\(name)"
            case .datagram(let path): "datagram \(path)"
            case .tcpListener: "tcp 127.0.0.1"
            case .nothing: "null /dev/null"
            }
        }
    }

    /// - Parameter names: the names of the sockets, in the format of `LISTEN_FDNAMES`.
    static func start(
        _ program: String, _ arguments: [String], passing sockets: [Passed], names: String? = nil,
        environment: [String: String] = [:]
    ) throws -> RunningProgram {
        try Program(path: "/usr/bin/perl").start(
            ["-e", script, Program(program).path] + sockets.map(\.text) + ["--"] + arguments,
            environment: environment.merging(names.map { ["LISTEN_FDNAMES": $0] } ?? [:]) { $1 }, errors: nil)
    }

    private static let script = #"""
        use strict; use Socket; use POSIX (); $^F = 1000;
        my ($program, @opened) = shift;
        while ((my $what = shift) ne "--") {
            my ($kind, $path) = split / /, $what, 2;
            my $handle;
            if ($kind eq "null") { open($handle, "<", $path) or die "$path: $!"; push @opened, $handle; next }
            if ($kind eq "tcp") {
                socket($handle, AF_INET, SOCK_STREAM, 0) or die "socket: $!";
                bind($handle, sockaddr_in(0, inet_aton($path))) && listen($handle, 16) or die "$path: $!";
                push @opened, $handle; next
            }
            socket($handle, AF_UNIX, $kind eq "listener" ? SOCK_STREAM : SOCK_DGRAM, 0) or die "socket: $!";
            # Of an abstract socket the length of the address says how long the name is.
            my $address = $path =~ /^@(.*)/ ? pack("S a*", AF_UNIX, "\0$1") : sockaddr_un($path);
            bind($handle, $address) or die "$path: $!";
            $kind eq "datagram" or listen($handle, 16) or die "$path: $!";
            push @opened, $handle;
        }
        # First out of the way of one another, then where they are expected.
        POSIX::dup2(fileno($opened[$_]), 100 + $_) for 0 .. $#opened;
        POSIX::dup2(100 + $_, 3 + $_), POSIX::close(100 + $_) for 0 .. $#opened;
        @ENV{"LISTEN_PID", "LISTEN_FDS"} = ($$, scalar @opened);
        exec $program, @ARGV or die "$program: $!";
        """#
}
