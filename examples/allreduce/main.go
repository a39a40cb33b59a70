// Allreduce runs workers as processes that sum vectors over encrypted connections with each algorithm, and
// prints the speed. The last line is a JSON object.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/bbgen/bbgen/examples/allreduce/load"
	"github.com/bbgen/bbgen/internal/gobuild"
	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/host/launch"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/tensor"
)

func main() {
	log.SetFlags(0)
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// result is the last line.
type result struct {
	Peers    int     `json:"peers"`
	Sums     int     `json:"sums"`
	Fastest  string  `json:"fastest"`              // the fastest algorithm for the largest sums
	MBytes   float64 `json:"mb_per_second"`        // its rate: bytes that a rank sends per second
	OverSent float64 `json:"sent_over_algorithms"` // bytes sent, divided by those that the algorithms require
}

func run(w io.Writer) error {
	dir, err := os.MkdirTemp("", "allreduce")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	bin, err := gobuild.Peers(dir, "github.com/bbgen/bbgen/examples/allreduce/peer", "worker")
	if err != nil {
		return err
	}
	o := launch.Options{Dir: dir, Log: io.Discard}
	for rank := range load.Peers {
		o.Peers = append(o.Peers, launch.Peer{Class: "worker", Rank: rank, Binary: bin["worker"], Args: []string{"-host", "tcp"}})
	}
	fleet, err := launch.Start(o)
	if err != nil {
		return err
	}
	defer fleet.Stop()
	m := &measured{took: map[way][]time.Duration{}, rounds: map[string]int64{}, sent: map[string]int64{}}
	if err := m.listen(fleet); err != nil {
		return err
	}
	return m.print(w)
}

// way is a size and an algorithm.
type way struct {
	elements  int
	algorithm string
}

// measured holds the measurements that peers have reported.
type measured struct {
	took   map[way][]time.Duration
	rounds map[string]int64 // by peer and algorithm: number of reported rounds
	sent   map[string]int64 // total bytes by peer, at the end
	told   int
}

// patience is the longest time without an event.
const patience = 2 * time.Minute

// listen reads the peers' events until all rounds are over and all peers have reported the bytes that they
// sent.
func (m *measured) listen(fleet *launch.Fleet) error {
	want := load.Peers * load.Rounds() * len(load.Algorithms)
	for m.told < want || len(m.sent) < load.Peers {
		select {
		case l := <-fleet.Lines():
			switch {
			case l.Kind == "exited" || l.Kind == "failed":
				return fmt.Errorf("%s: %s %s: %s", l.Peer, l.Kind, l.Name, l.Error)
			case l.Kind == "emitted":
				m.emitted(l)
			case l.Kind == "status" && m.told == want:
				m.sent[l.Peer] = l.Status.Out
			}
		case <-time.After(patience):
			return errors.New("nothing has happened for two minutes")
		}
	}
	return nil
}

// emitted records the time of a sum.
func (m *measured) emitted(l peer.Line) {
	name := l.Name[strings.LastIndexByte(l.Name, '.')+1:]
	i := slices.Index(load.Algorithms, name)
	values, ok := l.Value.([]any)
	if i < 0 || !ok || len(values) != 1 {
		return
	}
	ns, _ := values[0].(float64)
	round := m.rounds[l.Peer+name]
	m.rounds[l.Peer+name]++
	m.told++
	if s, first := load.Of(round); s.Runs(i) && !first {
		k := way{s.Elements, name}
		m.took[k] = append(m.took[k], time.Duration(ns))
	}
}

// print prints a table, and the last line.
func (m *measured) print(w io.Writer) error {
	r := result{Peers: load.Peers, Sums: m.told}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "size\talgorithm\ttime\tMB/s")
	for _, s := range load.Plan {
		for _, a := range load.Algorithms {
			all := m.took[way{s.Elements, a}]
			if len(all) == 0 {
				continue
			}
			slices.Sort(all)
			median := all[len(all)/2]
			size := 4 * s.Elements
			speed := collective.LowerBound(size, load.Peers) / max(median.Seconds(), 1e-6) / 1e6
			fmt.Fprintf(t, "%d KiB\t%s\t%v\t%.0f\n", size>>10, a, median.Round(time.Microsecond), speed)
			if s == load.Plan[len(load.Plan)-1] && speed > r.MBytes {
				r.Fastest, r.MBytes = a, speed
			}
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	var sent int64
	for _, n := range m.sent {
		sent += n
	}
	r.OverSent = float64(sent) / needed()
	return json.NewEncoder(w).Encode(r)
}

// needed returns the number of bytes that the algorithms must send, over all peers.
func needed() (bytes float64) {
	for round := range int64(load.Rounds()) {
		s, _ := load.Of(round)
		for i, name := range load.Algorithms {
			n := 4 * s.Elements
			if !s.Runs(i) {
				n = 4
			}
			a, _ := collective.ParseAlgorithm(name)
			spec := collective.Spec{Elem: tensor.Float32, Algorithm: a}
			bytes += float64(spec.Traffic(n, load.Peers, collective.Links{}).Bytes)
		}
	}
	return bytes
}
