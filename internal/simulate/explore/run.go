package explore

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Options configure a run of many seeds.
type Options struct {
	Seed      uint64 // the first one
	Schedules int    // 0: unlimited, until the time is over
	Jobs      int
	Failures  int // stops after this number
	Twice     int // run every so many-th seed twice, with the same result; 0: none

	// Progress, if not nil, is called at intervals.
	Progress func(Summary)

	// Failed, if not nil, is called with each failing seed, one at a time.
	Failed func(seed uint64, err error)
}

// Summary is the result of all seeds.
type Summary struct {
	Seed      uint64   `json:"seed"`
	Last      uint64   `json:"last_seed"` // all seeds from the first to this one were run
	Schedules int      `json:"schedules"`
	Cut       bool     `json:"cut"` // it ended before all were run
	Blocks    int64    `json:"blocks"`
	Virtual   float64  `json:"virtual_seconds"`
	Seconds   float64  `json:"seconds"`
	PerSecond float64  `json:"schedules_per_second"`
	Failures  int      `json:"failures"`
	Failed    []uint64 `json:"failed_seeds,omitempty"`
	Events    Counts   `json:"events"` // the counts of events by kind
}

// Run runs many seeds, several at a time, until the context is done.
func Run(ctx context.Context, o Options) Summary {
	r := &run{Options: o, began: time.Now(), seen: make(counted, len(happenings))}
	var wait sync.WaitGroup
	for range max(o.Jobs, 1) {
		wait.Go(func() { r.work(ctx) })
	}
	over := make(chan struct{})
	go func() {
		wait.Wait()
		close(over)
	}()
	r.watch(ctx, over)
	s := r.summary()
	s.Cut = ctx.Err() != nil
	return s
}

type run struct {
	Options
	began         time.Time
	next          atomic.Int64
	telling       sync.Mutex // held during Failed, which may take long
	mu            sync.Mutex
	played        int
	blocks, nanos int64
	failed        []uint64
	seen          counted
}

// grace is how long to wait for running schedules when the time is over.
const grace = 20 * time.Second

// watch reports the progress until all is over.
func (r *run) watch(ctx context.Context, over chan struct{}) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	cut := ctx.Done()
	var late <-chan time.Time
	for {
		select {
		case <-over:
			return
		case <-cut:
			cut, late = nil, time.After(grace)
		case <-late:
			return
		case <-tick.C:
			if r.Progress != nil {
				r.Progress(r.summary())
			}
		}
	}
}

func (r *run) summary() Summary {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := Summary{Seed: r.Seed, Last: r.Seed + uint64(r.played) - 1, Schedules: r.played, Blocks: r.blocks, Virtual: float64(r.nanos) / 1e9,
		Seconds: time.Since(r.began).Seconds(), Failures: len(r.failed), Failed: slices.Clone(r.failed), Events: r.seen.names()}
	s.PerSecond = float64(s.Schedules) / s.Seconds
	return s
}

// work runs one seed after the other.
func (r *run) work(ctx context.Context) {
	for ctx.Err() == nil && !r.enough() {
		i := r.next.Add(1) - 1
		if r.Schedules > 0 && i >= int64(r.Schedules) {
			return
		}
		seed := r.Seed + uint64(i)
		x := Play(Draw(seed), nil)
		if x.Err == nil && r.Twice > 0 && seed%uint64(r.Twice) == 0 {
			if again := Play(Draw(seed), nil); again.Hash != x.Hash {
				x.Err = fmt.Errorf("the second time something else happens")
			}
		}
		if r.add(seed, &x) && r.Failed != nil {
			r.telling.Lock()
			r.Failed(seed, x.Err)
			r.telling.Unlock()
		}
	}
}

// enough reports whether the maximum number of schedules have failed.
func (r *run) enough() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.failed) >= max(r.Failures, 1)
}

// add adds the result of a seed, and reports whether it has failed and is to be reported.
func (r *run) add(seed uint64, x *Result) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.played++
	r.blocks += int64(x.Steps)
	r.nanos += x.Now
	if x.seen != nil { // no panic
		r.seen.add(x.seen)
	}
	if x.Err == nil || len(r.failed) >= max(r.Failures, 1) {
		return false
	}
	r.failed = append(r.failed, seed)
	return true
}
