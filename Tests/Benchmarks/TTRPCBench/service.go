package main

import (
	"context"
	"encoding/binary"
	"net"

	"github.com/containerd/ttrpc"
)

// raw is a message of raw bytes. ttrpc accepts any type with marshal methods as a protobuf message.
type raw struct{ bytes []byte }

func (m *raw) Reset()                         { m.bytes = nil }
func (m *raw) String() string                 { return "raw" }
func (m *raw) ProtoMessage()                  {}
func (m *raw) Marshal() ([]byte, error)       { return m.bytes, nil }
func (m *raw) Unmarshal(encoded []byte) error { m.bytes = encoded; return nil }

// serve replies with the number of bytes in the first four bytes of the request.
func serve(socket string) error {
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	server, err := ttrpc.NewServer()
	if err != nil {
		return err
	}
	server.Register("Bench", map[string]ttrpc.Method{"Get": get})
	return server.Serve(context.Background(), listener)
}

func get(_ context.Context, unmarshal func(interface{}) error) (interface{}, error) {
	var request raw
	if err := unmarshal(&request); err != nil {
		return nil, err
	}
	return &raw{make([]byte, binary.BigEndian.Uint32(request.bytes))}, nil
}
