package main

import (
	"fmt"
	"math"
	"time"

	"github.com/bbgen/bbgen/internal/bench/collective/load"
)

// kill kills ranks one after the other, the last one first, while all sum 1 MiB by all algorithms. It
// measures the time from the detection by the first survivor until the last survivor has the sum in progress.
func (b *bench) kill() error {
	for _, ranks := range b.ranks {
		if ranks < 3 { // one of two is not a majority and stops
			continue
		}
		tell("kill -9 of ranks among %d", ranks)
		f, err := b.start("tcp", load.Plan{Ranks: ranks, Steps: []load.Step{{Elements: 1 << 18, Rounds: math.MaxInt32, Algorithms: load.Algorithms}}})
		if err != nil {
			return err
		}
		noticed, finished, err := f.killHalf()
		f.stop()
		if err != nil {
			return err
		}
		r := timed("from kill -9 until the last survivor reports it", ranks, noticed)
		r.Encrypted, r.Bytes = true, 1<<20
		if err := b.add(r); err != nil {
			return err
		}
		r = timed("from when a kill -9 is noticed until all survivors have the sum", ranks, finished)
		r.Encrypted, r.Bytes, r.Bound, r.Bar = true, 1<<20, "≤", 50
		if err := b.add(r); err != nil {
			return err
		}
	}
	return nil
}

// killHalf kills ranks until half of them remain.
func (f *fleet) killHalf() (noticed, finished []time.Duration, err error) {
	for victim := f.plan.Ranks - 1; victim >= (f.plan.Ranks+1)/2; victim-- {
		if err := f.more(4 * len(load.Algorithms) * (victim + 1)); err != nil {
			return nil, nil, err
		}
		d, err := f.killed(victim)
		if err != nil {
			return nil, nil, fmt.Errorf("rank %d: %w", victim, err)
		}
		noticed, finished = append(noticed, d.noticed), append(finished, d.finished)
	}
	return noticed, finished, nil
}

// more waits until workers have reported some more sums.
func (f *fleet) more(sums int) error {
	for until := f.told + sums; f.told < until; {
		if _, err := f.next(); err != nil {
			return err
		}
	}
	return nil
}

// death is the times from the kill of a rank until all survivors had detected it, and from the first
// detection until all had their sum.
type death struct{ noticed, finished time.Duration }

// killed kills a rank, and waits until all ranks before it have finished a sum.
func (f *fleet) killed(victim int) (death, error) {
	dead := fmt.Sprint("worker-", victim)
	gone := make(chan error, 1)
	at := time.Now()
	go func() { gone <- f.Kill(victim) }()
	var first, last, end time.Time
	knows, has := map[string]bool{}, map[string]bool{}
	for len(has) < victim {
		l, err := f.next()
		if err != nil {
			return death{}, err
		}
		switch {
		case l.Peer == dead:
		case l.Kind == "peer down" && l.From == dead && !knows[l.Peer]:
			knows[l.Peer] = true
			if last = l.Time; first.IsZero() || l.Time.Before(first) {
				first = l.Time
			}
		case l.Kind == "emitted" && knows[l.Peer] && !has[l.Peer]:
			has[l.Peer] = true
			if l.Time.After(end) {
				end = l.Time
			}
		}
	}
	return death{last.Sub(at), end.Sub(first)}, <-gone
}
