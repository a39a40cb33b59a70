package main

import (
	"slices"
	"strings"
	"time"

	"github.com/bbgen/bbgen/internal/bench/collective/load"
	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// hosts are the transports of the workers, with the required speed relative to Gloo.
var hosts = []struct {
	name      string
	encrypted bool
	bar       float64
}{{"tcp", true, 1}, {"plain", false, 1.3}}

// sums times all-reduces by the algorithms that are suitable for a size, and those of Gloo.
func (b *bench) sums() error {
	for _, ranks := range b.ranks {
		plan := load.Plan{Ranks: ranks}
		for _, n := range b.bytes {
			plan.Steps = append(plan.Steps, b.step(n))
		}
		for _, host := range hosts {
			if !among(b.hosts, host.name) {
				continue
			}
			tell("all-reduces of %d ranks, over %s", ranks, host.name)
			gloo, err := b.gloo(plan)
			if err != nil {
				return err
			}
			f, err := b.measured(host.name, plan)
			if err != nil {
				return err
			}
			for _, s := range plan.Steps {
				for _, a := range s.Algorithms {
					times := f.times[way{s.Elements, a}]
					if len(times) == 0 {
						return errNothing
					}
					r := timed("all-reduce", ranks, times)
					r.Bytes, r.Algorithm, r.Encrypted = 4*s.Elements, a, host.encrypted
					if g := gloo[r.Bytes]; len(g) > 0 {
						r.beside(g, a, host.bar)
					}
					if err := b.add(r); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// beside compares a row with Gloo's times. The bar applies only to what users get by default: the algorithm
// that the library chooses.
func (r *row) beside(gloo []time.Duration, algorithm string, bar float64) {
	slices.Sort(gloo)
	r.Gloo = ms(gloo[len(gloo)/2])
	r.OverGloo = r.Gloo / max(r.Value, 1e-6)
	if algorithm == "auto" {
		r.Bound, r.Bar = "≥", bar
	}
}

// step returns rounds of one size. For large sizes there are fewer rounds, without the algorithms that send
// many times as much.
func (b *bench) step(bytes int) load.Step {
	s := load.Step{Elements: bytes / 4}
	switch {
	case bytes <= 64<<10:
		s.Rounds, s.Algorithms = 51, load.Algorithms
	case bytes <= 4<<20:
		s.Rounds, s.Algorithms = 21, []string{"auto", "tree", "halving", "ring", "pairwise"}
	default:
		s.Rounds, s.Algorithms = 6, []string{"auto", "halving", "ring", "pairwise"}
	}
	if b.rounds > 0 {
		s.Rounds = int64(b.rounds)
	}
	s.Algorithms = slices.DeleteFunc(slices.Clone(s.Algorithms), func(a string) bool { return !among(b.algorithms, a) })
	return s
}

// among reports whether a list of names, separated by commas, has a name. An empty list has all.
func among(list, name string) bool {
	return list == "" || slices.Contains(strings.Split(list, ","), name)
}

// traffic measures the bytes that workers write for sums around the ring, before encryption: values,
// envelopes and hellos.
func (b *bench) traffic() error {
	const bytes, rounds = 64 << 20, 3
	ring := collective.Spec{Elem: tensor.Float32, Algorithm: collective.Ring}
	for _, ranks := range b.ranks {
		tell("traffic of %d ranks", ranks)
		f, err := b.measured("tcp", load.Plan{Ranks: ranks, Steps: []load.Step{{Elements: bytes / 4, Rounds: rounds, Algorithms: []string{"ring"}}}})
		if err != nil {
			return err
		}
		var sent int64
		for _, n := range f.sent {
			sent += n
		}
		least := float64(ring.Traffic(bytes, ranks, collective.Links{}).Bytes) * rounds
		r := row{Figure: "bytes sent over the ring's lower bound", Ranks: ranks, Bytes: bytes, Algorithm: "ring", Encrypted: true, Value: float64(sent) / least, Bound: "≤", Bar: 1.005}
		if err := b.add(r); err != nil {
			return err
		}
	}
	return nil
}
