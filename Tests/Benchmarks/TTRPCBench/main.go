// Command ttrpc-bench is ttrpc as a subject of rpc-bench: raw bytes in both directions over a Unix socket.
//
// It is built against the packages of the system (golang-github-containerd-ttrpc-dev), so it has no go.mod.
package main

import (
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	switch {
	case len(arguments) == 2 && arguments[0] == "serve":
		return serve(arguments[1])
	case len(arguments) == 3 && arguments[0] == "measure":
		var load load
		if err := json.Unmarshal([]byte(arguments[2]), &load); err != nil {
			return err
		}
		measurement, err := load.measure(arguments[1])
		if err != nil {
			return err
		}
		return json.NewEncoder(os.Stdout).Encode(measurement)
	}
	return fmt.Errorf("usage: ttrpc-bench serve SOCKET | ttrpc-bench measure SOCKET LOAD-AS-JSON")
}
