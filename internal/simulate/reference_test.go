package simulate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/internal/simulate/parts"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// reference computes the outputs of a program sequentially, without peers, messages or time.
type reference struct {
	*spec
	counts map[string]int              // calls, by peer and slot
	learns map[string][]parts.Strategy // by peer and slot
	votes  map[int][]parts.Rule        // of the leader, by slot
	outer  map[int]*parts.Nesterov     // the same on all workers, by slot
	draws  map[int]*parts.Sampled      // of the leader, by slot
	stored map[int][]vector            // in the workers' indexes, by slot
	rank   int                         // of the peer that computes
	told   []string                    // by peers besides the leader
}

// want returns the outputs of the leader in all rounds.
func (s *spec) want() []string {
	ref := &reference{spec: s, counts: map[string]int{}, learns: map[string][]parts.Strategy{}, votes: map[int][]parts.Rule{},
		outer: map[int]*parts.Nesterov{}, draws: map[int]*parts.Sampled{}, stored: map[int][]vector{}}
	x := s.first[:]
	var out []string
	for range s.rounds {
		x = ref.run("leader", 0, ref.booted(x, entry), s.body)
		out = append(out, fmt.Sprintf("leader 0: out %v", x))
	}
	out = append(out, ref.told...)
	asks, _, _ := s.uses()
	if asks && s.lies {
		out = append(out, "leader 0: found a lie")
		for w := range s.workers {
			out = append(out, fmt.Sprintf("worker %d: found a lie", w))
		}
	}
	if asks && s.gossips {
		for w := range s.workers {
			for _, what := range []string{"agreed", "walked", "found"} {
				out = append(out, fmt.Sprintf("leader 0: %s [%d %d]", what, w, s.workers))
			}
			out = append(out, fmt.Sprintf("leader 0: logged [%d %d]", w, parts.Logged))
		}
	}
	for _, a := range s.body {
		switch {
		case a.kind == lazy && a.row&named == 0 && s.workers > 1:
			out = append(out, fmt.Sprintf("leader 0: without lazy%d", a.port))
		case a.kind == never:
			out = append(out, fmt.Sprintf("relay 0: without never%d", a.port))
		}
	}
	return out
}

// entry is the host's first value for the leader, own the initial value of a module of the relay.
var entry, start = []float64{2, -4}, []float64{1, 5}

// booted mixes a value with the value that a bootstrap has set once.
func (ref *reference) booted(x, with []float64) []float64 {
	if !ref.boots {
		return x
	}
	return each(x, with, func(x, y float64) float64 { return (x+y)/2 + 1./8 })
}

// run executes a list of actions on a peer and mixes all resulting values.
func (ref *reference) run(peer string, slot int, x []float64, list []action) []float64 {
	pool := [][]float64{x}
	for i := range list {
		pool = append(pool, ref.one(peer, slot, pool, &list[i]))
	}
	x = pool[0]
	for _, v := range pool[1:] {
		x = each(x, v, func(x, v float64) float64 { return (x + v) * 0.5 })
	}
	return x
}

func (ref *reference) one(peer string, slot int, pool [][]float64, act *action) []float64 {
	a, b := pool[act.a], pool[act.b]
	switch act.kind {
	case half:
		return halved(a, b)
	case diff:
		return each(a, b, func(a, b float64) float64 { return (a - b) * 0.5 })
	case larger:
		return each(a, b, func(a, b float64) float64 { return max(a, b) })
	case lesser:
		return each(a, b, func(a, b float64) float64 { return min(a, b) })
	case late:
		return b
	case negate:
		return each(a, a, func(a, _ float64) float64 { return -a })
	case step:
		return ref.call(fmt.Sprint(peer, " step ", slot), a, 8)
	case work:
		return ref.call(fmt.Sprint(peer, " work ", slot), a, 4)
	case say:
		return ref.say(peer, a)
	case fed:
		return halved(a, food)
	case pair:
		ref.told = append(ref.told, fmt.Sprintf("relay 0: pair%d %v", act.port, halved(a, b)))
	case device:
		return each(a, b, func(a, b float64) float64 { return float64(a*0.25) + (float64(a*0.25) + float64(b*0.5)) })
	case search:
		return ref.search(a, act)
	case learn:
		return ref.learn(peer, slot, a, b)
	case ask:
		return ref.ask(a, act, ref.everyone())
	case sample:
		return ref.ask(a, act, ref.drawn(act))
	case near:
		return ref.ask(a, act, []int{ref.nearest(act.key())})
	case common:
		return ref.common(a, act)
	case vote:
		return ref.vote(a, act)
	case hide:
		return ref.hide(a, act)
	case kin:
		return ref.kin(a, b, act)
	case choose:
		return each(a, a, func(v, _ float64) float64 { return v / 4 })
	case lazy:
		if act.row&named != 0 { // whoever is asked, only the first worker answers
			return each(a, a, func(v, _ float64) float64 { return v / 4 })
		}
		return mixed(ref.answers(a, act, ref.everyone())[:1])
	case visit, never:
		x := ref.run("relay", act.port, ref.booted(a, start), act.sub)
		if act.far != nil {
			x = ref.run("end", act.port, x, act.far)
		}
		return x
	}
	return a
}

// say has a component of a peer notify its host.
func (ref *reference) say(peer string, x []float64) []float64 {
	if !strings.HasPrefix(peer, "worker") {
		peer += " 0"
	}
	ref.told = append(ref.told, fmt.Sprintf("%s: said %v", peer, x))
	return x
}

// everyone is the ranks of all workers.
func (ref *reference) everyone() (ranks []int) {
	for w := range ref.workers {
		ranks = append(ranks, w)
	}
	return ranks
}

// ask mixes the results of some workers for x, in the order of their ranks.
func (ref *reference) ask(x []float64, act *action, ranks []int) []float64 {
	return mixed(ref.answers(x, act, ranks))
}

func mixed(answers [][]float64) []float64 {
	sum := []float64{0, 0}
	for _, y := range answers {
		sum = each(sum, y, func(s, y float64) float64 { return s/2 + y })
	}
	return each(sum, sum, func(s, _ float64) float64 { return s / 2 })
}

// answers returns the results of some workers for x.
func (ref *reference) answers(x []float64, act *action, ranks []int) (out [][]float64) {
	for _, w := range ranks {
		ref.rank = w
		worker := fmt.Sprint("worker ", w)
		y := ref.run(worker, act.port, x, act.sub)
		if act.kind == sample || act.kind == near {
			y = ref.call(fmt.Sprint(worker, " step ", act.port), y, 8)
		}
		out = append(out, y)
		ref.rank = 0
	}
	return out
}

// vote returns the aggregate by a rule of the workers' results for x.
func (ref *reference) vote(x []float64, act *action) []float64 {
	if ref.votes[act.port] == nil {
		ref.votes[act.port] = opened(parts.Rules(), ref.seed, "leader", 0)
	}
	rules := ref.votes[act.port]
	rule := rules[act.row%len(rules)]
	for _, x := range ref.answers(x, act, ref.everyone()) {
		y := narrowed(x)
		weight := max(abs(y.Data[0]), abs(y.Data[1])) + 1
		if err := rule.Contribute(context.Background(), wire.PeerID{}, values.LargeOf(y), weight); err != nil {
			panic(err)
		}
	}
	return widened(rule.Aggregate(context.Background()))
}

// common mixes what the workers have after a common step along the mean of their changes, which is the same on all.
func (ref *reference) common(x []float64, act *action) []float64 {
	if ref.outer[act.port] == nil {
		ref.outer[act.port] = opened([]*parts.Nesterov{{}}, ref.seed, "worker", 0)[0]
	}
	from := narrowed(x)
	var changes []collective.Value
	for _, y := range ref.answers(x, act, ref.everyone()) {
		changes = append(changes, collective.Value{Rows: len(x), Row: 1, Data: tensor.Raw(subtracted(narrowed(y), from).Data)})
	}
	spec := collective.Spec{Op: collective.Mean, Elem: tensor.Float32}
	to := from.Clone()
	mean := make([]float32, len(x))
	tensor.SetRaw(mean, spec.Evaluate(changes)[0])
	for i, v := range mean {
		to.Data[i] += v
	}
	next := widened(ref.outer[act.port].Step(from, to))
	return mixed(slices.Repeat([][]float64{next}, ref.workers))
}

func subtracted(a, b parts.Model) parts.Model {
	c := a.Clone()
	for i, v := range b.Data {
		c.Data[i] -= v
	}
	return c
}

func abs(x float32) float32 { return float32(math.Abs(float64(x))) }

// opened opens components like a peer does.
func opened[T any](list []T, seed uint64, class string, rank int) []T {
	for _, x := range list {
		if o, ok := any(x).(runtime.Opener); ok {
			if err := o.Open(parts.Env(seed, class, rank)); err != nil {
				panic(err)
			}
		}
	}
	return list
}

// learn calls the component of each strategy in a peer's slots.
func (ref *reference) hide(x []float64, act *action) []float64 {
	sum := []float64{0, 0}
	for _, y := range ref.answers(x, act, ref.everyone()) {
		sum = each(sum, y, func(s, y float64) float64 { return s + math.RoundToEven(y*fixed) })
	}
	return each(sum, sum, func(s, _ float64) float64 { return s / (float64(ref.workers) * fixed) })
}

// learn calls the component of each strategy in a peer's slots.
func (ref *reference) learn(peer string, slot int, a, b []float64) []float64 {
	slots := fmt.Sprint(peer, " ", slot)
	if ref.learns[slots] == nil {
		class, _, _ := strings.Cut(peer, " ")
		ref.learns[slots] = opened(parts.Strategies(), ref.seed, class, ref.rank)
	}
	x, y := narrowed(a), narrowed(b)
	for _, s := range ref.learns[slots] {
		next, err := s.Step(x, y)
		if err != nil {
			panic(err)
		}
		x = next.Clone()
	}
	return widened(x, nil)
}

func narrowed(x []float64) parts.Model {
	return tensor.DenseOf([]float32{float32(x[0]), float32(x[1])}, 2)
}

func widened(x parts.Model, err error) []float64 {
	if err != nil {
		panic(err)
	}
	return []float64{float64(x.Data[0]) + 0, float64(x.Data[1]) + 0} // zeros of both signs are equal
}

func (ref *reference) call(slot string, x []float64, part float64) []float64 {
	ref.counts[slot]++
	n := float64(ref.counts[slot] + ref.rank)
	return each(x, x, func(v, _ float64) float64 { return v/2 + n/part })
}

func halved(a, b []float64) []float64 {
	return each(a, b, func(a, b float64) float64 { return (a + b) * 0.5 })
}

func each(a, b []float64, f func(a, b float64) float64) []float64 {
	out := make([]float64, len(a))
	for i := range out {
		out[i] = f(a[i], b[i]) + 0 // zeros of both signs are equal
	}
	return out
}
