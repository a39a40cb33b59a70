package explore

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Options say which seeds are played.
type Options struct {
	Seed      uint64 // the first one
	Schedules int
	Jobs      int
	Failures  int // so many are enough
	Twice     int // every so many-th seed is played twice, and must be the same; 0: none is

	// Progress, if not nil, is called now and then.
	Progress func(Summary)

	// Failed, if not nil, is called with each seed that fails, one after the other.
	Failed func(seed uint64, err error)
}

// Summary is what came of all.
type Summary struct {
	Seed      uint64  `json:"seed"`
	Schedules int     `json:"schedules"`
	Blocks    int64   `json:"blocks"`
	Virtual   float64 `json:"virtual_seconds"`
	Seconds   float64 `json:"seconds"`
	PerSecond float64 `json:"schedules_per_second"`
	Failures  int     `json:"failures"`
}

// Run plays many seeds, several at a time.
func Run(o Options) Summary {
	r := &run{Options: o, began: time.Now()}
	var wait sync.WaitGroup
	for range max(o.Jobs, 1) {
		wait.Go(r.work)
	}
	over := make(chan struct{})
	go func() {
		wait.Wait()
		close(over)
	}()
	r.watch(over)
	return r.summary()
}

type run struct {
	Options
	began                       time.Time
	next, played, blocks, nanos atomic.Int64
	mu                          sync.Mutex
	failures                    atomic.Int64
}

// watch tells of the progress until all is over.
func (r *run) watch(over chan struct{}) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-over:
			return
		case <-tick.C:
			if r.Progress != nil {
				r.Progress(r.summary())
			}
		}
	}
}

func (r *run) summary() Summary {
	s := Summary{Seed: r.Seed, Schedules: int(r.played.Load()), Blocks: r.blocks.Load(), Virtual: float64(r.nanos.Load()) / 1e9,
		Seconds: time.Since(r.began).Seconds(), Failures: int(r.failures.Load())}
	s.PerSecond = float64(s.Schedules) / s.Seconds
	return s
}

// work plays one seed after the other.
func (r *run) work() {
	for {
		i := r.next.Add(1) - 1
		if i >= int64(r.Schedules) || r.failures.Load() >= int64(max(r.Failures, 1)) {
			return
		}
		seed := r.Seed + uint64(i)
		if err := r.play(seed); err != nil {
			r.failed(seed, err)
		}
	}
}

func (r *run) play(seed uint64) error {
	c := Draw(seed)
	x := Play(c, nil)
	r.played.Add(1)
	r.blocks.Add(int64(x.Steps))
	r.nanos.Add(x.Now)
	if x.Err == nil && r.Twice > 0 && seed%uint64(r.Twice) == 0 {
		if again := Play(Draw(seed), nil); again.Hash != x.Hash {
			return fmt.Errorf("the second time something else happens")
		}
	}
	return x.Err
}

func (r *run) failed(seed uint64, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failures.Add(1) <= int64(max(r.Failures, 1)) && r.Failed != nil {
		r.Failed(seed, err)
	}
}
