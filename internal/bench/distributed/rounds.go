package main

import (
	"fmt"
	"log"
	"slices"
	"time"
)

const (
	large = 1_663_370 // parameters of McMahan's network for MNIST, 6.65 MB
	small = 199_210   // and of his two dense layers, 0.80 MB
)

// federation returns a server with clients.
func federation(host string, clients, parameters int) setting {
	return setting{host: host, first: "server", others: "client", count: clients, parameters: parameters}
}

// timeRounds measures the times of rounds.
func (b *bench) timeRounds(host string) error {
	for _, x := range []struct {
		figure              string
		clients, parameters int
		state               bool
		bar                 float64
		others              string
	}{
		{"a round, 2 clients, 1.66 M parameters", 2, large, false, 35, "Flower 6200 ms; with its old gRPC server 97 ms"},
		{"a round, 10 clients, 0.2 M parameters", 10, small, false, 20, "Flower 9200 ms; with its old gRPC server 62 ms"},
		{"a round, 2 clients, 10 parameters", 2, 10, false, 1, "Flower 6030 ms; with its old gRPC server 6.9 ms"},
		{"a round, 2 clients, 1.66 M parameters, durable (`-state`)", 2, large, true, 0, ""},
	} {
		s := federation(host, x.clients, x.parameters)
		s.state = x.state
		err := b.run("program", s, func(f *fleet) error {
			times, err := b.timedRounds(f)
			if err != nil {
				return err
			}
			b.add(timed(x.figure, host, times, x.bar, x.others))
			return nil
		})
		if err != nil {
			return fmt.Errorf("%s: %w", x.figure, err)
		}
	}
	return nil
}

// timedRounds returns the times of rounds, and logs the processor time.
func (b *bench) timedRounds(f *fleet) ([]time.Duration, error) {
	times, busy, err := f.timedRounds(b.rounds)
	if err != nil {
		return nil, err
	}
	log.Printf("  processor time of a round: server %v, all clients %v", busy[0], sum(busy[1:]))
	return times, nil
}

// timedRounds returns the times of n rounds after some to warm up, and the mean processor time of a round of each peer.
func (f *fleet) timedRounds(n int) (times, peers []time.Duration, err error) {
	if _, err := f.rounds(0); err != nil {
		return nil, nil, err
	}
	before, err := f.busy(f.count + 1)
	if err != nil {
		return nil, nil, err
	}
	for range n {
		d, err := f.round()
		if err != nil {
			return nil, nil, err
		}
		times = append(times, d)
	}
	after, err := f.busy(f.count + 1)
	if err != nil {
		return nil, nil, err
	}
	for i := range after {
		peers = append(peers, (after[i]-before[i])/time.Duration(n))
	}
	return times, peers, nil
}

// countBytes measures the traffic of a round with the counters of the loopback, including headers of TCP and
// IP. It takes the minimum over rounds, since other processes may use the loopback, too.
func (b *bench) countBytes(host string) error {
	const clients, rounds = 2, 10
	return b.run("program", federation(host, clients, large), func(f *fleet) error {
		if _, err := f.rounds(1); err != nil {
			return err
		}
		var ratios []float64
		for range max(b.rounds/rounds, 3) {
			before, err := loopback()
			if err != nil {
				return err
			}
			for range rounds {
				if _, err := f.round(); err != nil {
					return err
				}
			}
			after, err := loopback()
			if err != nil {
				return err
			}
			ratios = append(ratios, float64(after-before)/(rounds*2*clients*4*large))
		}
		b.add(row{Figure: "bytes of a round on the wire, with all headers, per byte of parameters", Host: host, Value: middle(ratios), Best: slices.Min(ratios), Bound: "≤", Bar: 1.02,
			Others: "Flower 1.003 to 1.018"})
		return nil
	})
}

func middle(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	return s[len(s)/2]
}

func sum(list []time.Duration) (s time.Duration) {
	for _, d := range list {
		s += d
	}
	return s
}

// busy returns the processor time of each of the first n peers.
func (f *fleet) busy(n int) ([]time.Duration, error) {
	var out []time.Duration
	for i := range n {
		d, err := busy(f.Pid(i))
		if err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	return out, nil
}
