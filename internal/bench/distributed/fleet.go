package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/bbgen/bbgen/internal/bench/distributed/program/plan"
	"github.com/bbgen/bbgen/runtime/host/launch"
	"github.com/bbgen/bbgen/runtime/host/peer"
)

// setting is a fleet to be measured: one peer that has the plan and begins each round, and some others.
type setting struct {
	host       string
	first      string // its class
	others     string
	count      int // of the others
	parameters int
	loops      []string // modules with ends that count as ends of rounds, in addition to those of the first peer
	rounds     int64    // number of rounds; 0: no end
	state      bool
	fails      bool // others may fail in rounds for which they come late
}

// fleet is running peers. The first one has number 0.
type fleet struct {
	*launch.Fleet
	setting
	end time.Time // of the last round
	at  uint64    // its number
	in  int64     // bytes received by the first peer
	out int64     // and sent, before encryption
}

// patience is the longest wait for an event.
const patience = 2 * time.Minute

// start starts a fleet, with its data and state in dir.
func (s setting) start(dir string, bin map[string]string) (*fleet, error) {
	data := filepath.Join(dir, "data")
	if err := writePlan(data, plan.Plan{Parameters: s.parameters, Rounds: s.rounds}); err != nil {
		return nil, err
	}
	args := []string{"-data", data, "-grace", "1s"}
	peers := []launch.Peer{{Class: s.first, Binary: bin[s.first], Args: append(args, "-await", fmt.Sprintf("%s=%d", s.others, s.count))}}
	for rank := range s.count {
		peers = append(peers, launch.Peer{Class: s.others, Rank: rank, Binary: bin[s.others], Args: args})
	}
	f, err := launch.Start(launch.Options{Dir: dir, Peers: peers, State: s.state, Seed: 1, Log: io.Discard})
	if err != nil {
		return nil, err
	}
	return &fleet{Fleet: f, setting: s}, nil
}

func writePlan(dir string, p plan.Plan) error {
	b, err := json.Marshal(p)
	if err == nil {
		err = os.MkdirAll(dir, 0o777)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, plan.File), b, 0o666)
}

// next returns the next line that a peer writes.
func (f *fleet) next(late <-chan time.Time) (peer.Line, error) {
	select {
	case l, ok := <-f.Lines():
		if !ok {
			return l, fmt.Errorf("the peers have ended")
		}
		if l.Error != "" && (l.Kind == "exited" || !f.fails && (l.Kind == "ended" || l.Kind == "failed")) {
			return l, fmt.Errorf("%s: %s: %s", l.Peer, l.Kind, l.Error)
		}
		f.note(l)
		return l, nil
	case <-late:
		return peer.Line{}, fmt.Errorf("what should happen has not for %v", patience)
	}
}

// until returns the first line of the first peer with the given kind and subject: a name or a peer.
func (f *fleet) until(kind string, what ...string) (peer.Line, error) {
	late := time.After(patience)
	for {
		l, err := f.next(late)
		if err != nil || l.Peer == f.first+"-0" && l.Kind == kind && (slices.Contains(what, l.Name) || slices.Contains(what, l.From)) {
			return l, err
		}
	}
}

// round waits for the end of a round, and returns the time since the end of the previous one.
func (f *fleet) round() (time.Duration, error) {
	l, err := f.until("finished", append(f.loops, f.first)...)
	if err != nil {
		return 0, err
	}
	d := l.Time.Sub(f.end)
	f.end, f.at = l.Time, l.Round
	return d, nil
}

// warm is the number of warm-up rounds, in which memory is allocated and windows open.
const warm = 3

// rounds returns the times of n rounds.
func (f *fleet) rounds(n int) ([]time.Duration, error) {
	var out []time.Duration
	for i := range warm + n {
		d, err := f.round()
		if err != nil {
			return nil, err
		}
		if i >= warm {
			out = append(out, d)
		}
	}
	return out, nil
}

// stop ends all peers and reads their last lines.
func (f *fleet) stop() {
	f.Stop()
	for l := range f.Lines() {
		f.note(l)
	}
}

// note records the traffic of the first peer.
func (f *fleet) note(l peer.Line) {
	if l.Status != nil && l.Peer == f.first+"-0" {
		f.in, f.out = l.In, l.Out
	}
}
