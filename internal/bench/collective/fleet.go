package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bbgen/bbgen/internal/bench/collective/load"
	"github.com/bbgen/bbgen/runtime/host/launch"
	"github.com/bbgen/bbgen/runtime/host/peer"
)

// patience is the longest time without an event.
const patience = 2 * time.Minute

// fleet is running workers.
type fleet struct {
	*launch.Fleet
	plan  load.Plan
	sums  map[string]int64 // the number of reported sums, by worker and algorithm
	times map[way][]time.Duration
	told  int              // the number of reported sums of all workers
	sent  map[string]int64 // bytes, by worker, at the end
}

// way is the algorithm and the number of elements of a sum.
type way struct {
	elements  int
	algorithm string
}

// start starts workers that compute the sums of a plan.
func (b *bench) start(host string, plan load.Plan) (*fleet, error) {
	dir := b.dir()
	data := filepath.Join(dir, "data")
	text, err := json.Marshal(plan)
	if err == nil {
		err = os.MkdirAll(data, 0o777)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(data, load.File), text, 0o666)
	}
	if err != nil {
		return nil, err
	}
	o := launch.Options{Dir: dir, Seed: 1, Log: io.Discard}
	args := []string{"-host", host, "-data", data, "-await", fmt.Sprintf("worker=%d", plan.Ranks-1), "-grace", "1s"}
	if b.connections > 0 {
		args = append(args, "-connections", fmt.Sprint(b.connections))
	}
	for rank := range plan.Ranks {
		o.Peers = append(o.Peers, launch.Peer{Class: "worker", Rank: rank, Binary: filepath.Join(b.from, "worker"), Args: args})
	}
	f, err := launch.Start(o)
	if err != nil {
		return nil, err
	}
	return &fleet{Fleet: f, plan: plan, sums: map[string]int64{}, times: map[way][]time.Duration{}, sent: map[string]int64{}}, nil
}

// next returns the next line that a worker writes.
func (f *fleet) next() (peer.Line, error) {
	select {
	case l := <-f.Lines():
		switch {
		case l.Kind == "failed" || l.Error != "" && (l.Kind == "exited" || l.Kind == "ended"):
			return l, fmt.Errorf("%s: %s %s: %s", l.Peer, l.Kind, l.Name, l.Error)
		case l.Kind == "emitted":
			f.note(l)
		}
		return l, nil
	case <-time.After(patience):
		return peer.Line{}, fmt.Errorf("nothing has happened for %v", patience)
	}
}

// note records the time of a sum. The first one of each kind is a warm-up.
func (f *fleet) note(l peer.Line) {
	name := l.Name[strings.LastIndexByte(l.Name, '.')+1:]
	values, _ := l.Value.([]any)
	if !slices.Contains(load.Algorithms, name) || len(values) != 1 {
		return
	}
	took, _ := values[0].(float64)
	s, at := f.plan.Of(f.sums[l.Peer+name])
	f.sums[l.Peer+name]++
	f.told++
	if s != nil && s.Sums(name) && at > 0 {
		k := way{s.Elements, name}
		f.times[k] = append(f.times[k], time.Duration(took))
	}
}

// finish waits until all sums are reported, and reads how much each worker has sent.
func (f *fleet) finish() error {
	want := f.plan.Ranks * int(f.plan.Rounds()) * len(load.Algorithms)
	for f.told < want || len(f.sent) < f.plan.Ranks {
		l, err := f.next()
		if err != nil {
			return err
		}
		if l.Kind == "status" && f.told == want {
			f.sent[l.Peer] = l.Out
		}
	}
	return nil
}

// stop ends all workers.
func (f *fleet) stop() {
	f.Stop()
	for range f.Lines() {
	}
}

// measured runs a plan to its end.
func (b *bench) measured(host string, plan load.Plan) (*fleet, error) {
	f, err := b.start(host, plan)
	if err != nil {
		return nil, err
	}
	defer f.stop()
	return f, f.finish()
}

var errNothing = errors.New("nothing was measured")
