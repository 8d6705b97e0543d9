package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"sort"
	"time"

	"github.com/containerd/ttrpc"
)

const requestBytes = 100

// load and measurement correspond to Measuring/Load.swift and Measurement.swift of rpc-bench.
type load struct {
	ReplyBytes      int     `json:"replyBytes"`
	UnderWay        int     `json:"underWay"`
	Connections     int     `json:"connections"`
	LargeCallers    int     `json:"largeCallers"`
	LargeReplyBytes int     `json:"largeReplyBytes"`
	WarmUpSeconds   float64 `json:"warmUpSeconds"`
	Seconds         float64 `json:"seconds"`
}

type measurement struct {
	P50         float64 `json:"p50"`
	P99         float64 `json:"p99"`
	Calls       int     `json:"calls"`
	AllCalls    int     `json:"allCalls"`
	Seconds     float64 `json:"seconds"`
	Shed        int     `json:"shed"`
	LargeCalls  int     `json:"largeCalls"`
	FirstAnswer int64   `json:"firstAnswer"`
}

// tally holds the measurements of one caller.
type tally struct {
	latencies []time.Duration
	all       int
	large     int
	end       time.Time
	err       error
}

func (l load) measure(socket string) (*measurement, error) {
	clients := make([]*ttrpc.Client, l.Connections)
	for i := range clients {
		clients[i] = ttrpc.NewClient(connect(socket))
		defer clients[i].Close()
	}
	if err := call(clients[0], l.ReplyBytes); err != nil {
		return nil, err
	}
	result := &measurement{AllCalls: 1, FirstAnswer: time.Now().UnixMicro()}

	from := time.Now().Add(seconds(l.WarmUpSeconds))
	until := from.Add(seconds(l.Seconds))
	tallies := make(chan tally)
	for i := 0; i < l.LargeCallers; i++ {
		go func() { tallies <- l.keepFetching(clients[0], from, until) }()
	}
	for i := 0; i < l.UnderWay; i++ {
		client := clients[i%len(clients)]
		go func() { tallies <- l.keepCalling(client, from, until) }()
	}
	var latencies []time.Duration
	end := from
	for i := 0; i < l.LargeCallers+l.UnderWay; i++ {
		tally := <-tallies
		if tally.err != nil {
			return nil, tally.err
		}
		latencies = append(latencies, tally.latencies...)
		result.AllCalls += tally.all
		result.LargeCalls += tally.large
		if tally.end.After(end) {
			end = tally.end
		}
	}
	sort.Slice(latencies, func(i, j int) bool { return latencies[i] < latencies[j] })
	result.P50, result.P99 = percentile(latencies, 0.5), percentile(latencies, 0.99)
	result.Calls, result.Seconds = len(latencies), end.Sub(from).Seconds()
	return result, nil
}

func (l load) keepCalling(client *ttrpc.Client, from, until time.Time) (tally tally) {
	for now := time.Now(); now.Before(until) || len(tally.latencies) == 0; {
		start := now
		if tally.err = call(client, l.ReplyBytes); tally.err != nil {
			return
		}
		now = time.Now()
		tally.all++
		if !start.Before(from) {
			tally.latencies = append(tally.latencies, now.Sub(start))
			tally.end = now
		}
	}
	return
}

func (l load) keepFetching(client *ttrpc.Client, from, until time.Time) (tally tally) {
	for now := time.Now(); now.Before(until); now = time.Now() {
		if tally.err = call(client, l.LargeReplyBytes); tally.err != nil {
			return
		}
		if !now.Before(from) {
			tally.large++
		}
	}
	return
}

func call(client *ttrpc.Client, replyBytes int) error {
	request := raw{make([]byte, requestBytes)}
	binary.BigEndian.PutUint32(request.bytes, uint32(replyBytes))
	var reply raw
	if err := client.Call(context.Background(), "Bench", "Get", &request, &reply); err != nil {
		return err
	}
	if len(reply.bytes) != replyBytes {
		return fmt.Errorf("%d bytes of %d", len(reply.bytes), replyBytes)
	}
	return nil
}

// connect waits for the server, which may start later.
func connect(socket string) net.Conn {
	for {
		connection, err := net.Dial("unix", socket)
		if err == nil {
			return connection
		}
		time.Sleep(200 * time.Microsecond)
	}
}

func percentile(sorted []time.Duration, fraction float64) float64 {
	index := int(float64(len(sorted)) * fraction)
	if index > len(sorted)-1 {
		index = len(sorted) - 1
	}
	return float64(sorted[index].Nanoseconds()) / 1e3
}

func seconds(s float64) time.Duration { return time.Duration(s * 1e9) }
