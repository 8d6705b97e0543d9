import BenchKit
import Foundation

/// nginx with `proxy_cache` in front of an origin.
struct Nginx {
    let process: ChildProcess
    let port: Int

    private static let program = ["/usr/sbin/nginx", "/usr/local/bin/nginx", "/usr/bin/nginx"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    static var isInstalled: Bool { program != nil }

    /// - Parameter directory: the directory of its configuration and its cache.
    /// - Returns: nil if nginx is not installed.
    static func start(in directory: String, origin: Int) throws -> Nginx? {
        guard let program else { return nil }
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let port = try FreePort.find()
        let file = directory + "/nginx.conf"
        try configuration(directory, port: port, origin: origin).write(
            toFile: file, atomically: true, encoding: .utf8)
        let process = try ChildProcess.start([program, "-p", directory, "-e", directory + "/error.log", "-c", file])
        while (try? HTTPCallers(port: port, count: 1)) == nil {
            guard process.isRunning else { throw Failure("nginx has exited; see its errors with \(program) -t") }
            usleep(1_000)
        }
        return Nginx(process: process, port: port)
    }

    /// Debian's configuration, with persistent connections on both sides and without logs.
    private static func configuration(_ directory: String, port: Int, origin: Int) -> String {
        """
        daemon off;
        \(getuid() == 0 ? "user root;" : "")
        worker_processes auto;
        pid \(directory)/nginx.pid;
        events { worker_connections 4096; }
        http {
            sendfile on;
            access_log off;
            keepalive_requests 1000000000;
            keepalive_timeout 1h;
            client_body_temp_path \(directory)/client;
            fastcgi_temp_path \(directory)/fastcgi;
            uwsgi_temp_path \(directory)/uwsgi;
            scgi_temp_path \(directory)/scgi;
            proxy_temp_path \(directory)/proxy;
            proxy_cache_path \(directory)/cache levels=1:2 keys_zone=pictures:10m max_size=1g use_temp_path=off;
            upstream origin {
                server 127.0.0.1:\(origin);
                keepalive 16;
            }
            server {
                listen 127.0.0.1:\(port);
                location / {
                    proxy_pass http://origin;
                    proxy_http_version 1.1;
                    proxy_set_header Connection "";
                    proxy_cache pictures;
                    proxy_cache_lock on;
                }
            }
        }
        """
    }
}
