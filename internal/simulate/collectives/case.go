package collectives

import (
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Case is one run.
type Case struct {
	Seed          uint64
	Ranks, Rounds int
	IfLost        collective.IfLost
	Calls         []Call
	Heartbeat     int64    // ns; 0: no health checks
	Chunk, Ops    int      // limits of that name; 0: the default
	Mistake       *Mistake // nil: no rank makes one
	Liar          int      // the rank that tells each of the others something else about its links; -1: none
	World         mem.Config
}

// Call is a collective in each round.
type Call struct {
	Spec  collective.Spec
	Stage int  // it is made when all calls of earlier stages have their results
	Large bool // the value is larger than the limit for a rank that has not begun
}

// Mistake is a call of one rank that differs from those of the others.
type Mistake struct {
	Rank, Round, Call int
	Kind              MistakeKind
}

// MistakeKind is the kind of a mistake.
type MistakeKind int

// The kinds of mistakes.
const (
	Fails    MistakeKind = iota // its code fails before it calls
	Resizes                     // its value has another size
	Diverges                    // its value is not finite
	mistakes
)

// elems are the types of elements.
var elems = []tensor.DType{tensor.Float32, tensor.Float64, tensor.BFloat16, tensor.Float16, tensor.Int32, tensor.Uint8}

// Draw draws a case.
func Draw(seed uint64) *Case {
	r := rand.New(rand.NewPCG(seed, 21))
	c := &Case{Seed: seed, Liar: -1, Ranks: 1 + r.IntN(7), Rounds: 1 + r.IntN(5), IfLost: collective.IfLost(r.IntN(3))}
	stage := 0
	for range 1 + r.IntN(4) {
		stage += r.IntN(2)
		c.Calls = append(c.Calls, Call{Spec: drawSpec(r, c.Ranks), Stage: stage, Large: r.IntN(256) == 0})
	}
	if r.IntN(3) == 0 {
		c.Chunk = 8 + r.IntN(64)
	}
	if slices.ContainsFunc(c.Calls, func(x Call) bool { return x.Large }) {
		c.Chunk = 16 << 10
	}
	if r.IntN(3) == 0 {
		c.Ops = 1 + r.IntN(6)
	}
	if r.IntN(3) == 0 {
		c.Heartbeat = 20e6 + r.Int64N(200e6)
	}
	if r.IntN(12) == 0 && c.Ranks > 1 { // with one rank no other rank detects it
		c.Mistake = c.drawMistake(r)
	}
	end := int64(50e6) << r.IntN(5)
	c.World = drawWorld(r, end)
	c.World.Faults = c.drawFaults(r, end)
	if l := rand.New(rand.NewPCG(seed, 22)); l.IntN(8) == 0 && c.Mistake == nil {
		c.drawLiar(l)
	}
	if d := rand.New(rand.NewPCG(seed, 23)); c.IfLost == collective.Repeat && c.Mistake == nil && d.IntN(16) == 0 {
		c.drawDepartures(d, end)
		if d.IntN(4) == 0 && c.Ranks > 1 && c.Liar < 0 { // some ranks may be told of the mistake, and others not
			c.Mistake = c.drawMistake(d)
		}
	}
	return c
}

// drawLiar makes a rank lie about its links, and the algorithms of all collectives follow from them. What is known about
// links affects the third call of a stream.
func (c *Case) drawLiar(r *rand.Rand) {
	c.Liar = r.IntN(c.Ranks)
	c.Rounds += 3
	for i := range c.Calls {
		c.Calls[i].Spec.Algorithm = collective.Auto
	}
}

// drawSpec draws a valid collective.
func drawSpec(r *rand.Rand, ranks int) collective.Spec {
	for {
		s := collective.Spec{Kind: collective.Kind(r.IntN(int(collective.Barrier) + 1)), Op: collective.Op(r.IntN(int(collective.Max) + 1)),
			Elem: elems[r.IntN(len(elems))], Root: r.IntN(ranks), Algorithm: collective.Algorithm(r.IntN(int(collective.Pairwise) + 1)), Finite: r.IntN(4) == 0}
		if s.Kind == collective.Barrier {
			s.Algorithm = collective.Auto
		} else if s.Elem == tensor.Float32 {
			s.Codec = collective.Codec(r.IntN(int(collective.Int8) + 1))
		}
		if s.Check() == nil {
			return s
		}
	}
}

// drawMistake draws a mistake that the others detect.
func (c *Case) drawMistake(r *rand.Rand) *Mistake {
	m := &Mistake{r.IntN(c.Ranks), r.IntN(c.Rounds), r.IntN(len(c.Calls)), MistakeKind(r.IntN(int(mistakes)))}
	s := &c.Calls[m.Call].Spec
	isRoot := s.Kind == collective.Broadcast && s.Root == m.Rank // which uses its own value
	if s.Kind == collective.Barrier || isRoot || m.Kind == Diverges && !(s.Finite && s.Elem == tensor.Float32) {
		m.Kind = Fails
	}
	return m
}

func drawWorld(r *rand.Rand, end int64) mem.Config {
	w := mem.Config{Seed: r.Uint64(), Delay: 1 + r.Int64N(5e6), Jitter: r.Int64N(20e6), Loss: r.Float64() * 0.2, Duplicate: r.Float64() * 0.2,
		Corrupt: r.Float64() * 0.02, Skew: r.Int64N(100000), Persist: r.Int64N(20e6), Heal: end, Verify: true}
	if r.IntN(3) == 0 {
		w.Loss, w.Duplicate, w.Corrupt = 0, 0, 0
	}
	return w
}

// The kinds of faults: those after which a rank continues with its state, and those after which it may not.
var (
	passing = []mem.FaultKind{mem.Crash, mem.Cut, mem.Break, mem.CrashBlock, mem.CrashSaved, mem.Hang, mem.DiskFull, mem.SyncFails}
	parting = append([]mem.FaultKind{mem.Leave, mem.DiskLies}, passing...)
)

// drawFaults draws a schedule of faults with which the case can be checked.
func (c *Case) drawFaults(r *rand.Rand, end int64) []mem.Fault {
	n := r.IntN(1 << r.IntN(6))
	switch {
	case c.IfLost == collective.Wait:
		return mem.DrawFaults(r, n, c.Ranks, end, passing...)
	case r.IntN(2) == 0:
		return mem.DrawFaults(r, n, c.Ranks, end, parting...)
	case c.IfLost == collective.Repeat:
		return c.drawSurvivable(r, end)
	}
	return nil
}

// drawDepartures makes any ranks leave but one, as the only faults: half of the ranks may be too few, and roots may be lost.
// Nothing else can be taken for a departure.
func (c *Case) drawDepartures(r *rand.Rand, end int64) {
	c.Heartbeat, c.World.Corrupt, c.World.Faults = 0, 0, nil
	for _, rank := range r.Perm(c.Ranks)[:r.IntN(c.Ranks)] {
		c.World.Faults = append(c.World.Faults, mem.Fault{At: r.Int64N(end), Kind: mem.Leave, Node: rank})
	}
}

// drawSurvivable makes less than half of the ranks leave, and no root.
func (c *Case) drawSurvivable(r *rand.Rand, end int64) (list []mem.Fault) {
	for _, rank := range r.Perm(c.Ranks)[:r.IntN((c.Ranks-1)/2+1)] {
		if !c.isRoot(rank) {
			list = append(list, mem.Fault{At: r.Int64N(end), Kind: mem.Leave, Node: rank})
		}
	}
	return list
}

func (c *Case) isRoot(rank int) bool {
	for i := range c.Calls {
		if k := c.Calls[i].Spec.Kind; (k == collective.Broadcast || k == collective.Reduce) && c.Calls[i].Spec.Root == rank {
			return true
		}
	}
	return false
}

// spoils reports whether a call fails because of what a rank does in it, even if the result does not show that: it is delivered
// when all have confirmed it.
func (c *Case) spoils(rank, call, round int) bool {
	m, k := c.Mistake, c.Calls[call].Spec.Kind
	if m == nil || m.Rank != rank || m.Call != call || m.Round != round || k == collective.AllReduce || k == collective.Broadcast {
		return false
	}
	return m.Kind != Diverges || len(c.value(call, round, rank).Data) > 0
}

// mayFail reports whether a rank may end without all results for other reasons than that others leave.
func (c *Case) mayFail(rank int) bool {
	if c.Mistake != nil {
		return true
	}
	if c.IfLost == collective.Wait {
		return false
	}
	for _, f := range c.World.Faults {
		if f.Kind != mem.Leave || f.Node == rank || c.IfLost == collective.Fail {
			return true
		}
	}
	return c.Heartbeat > 0 || c.World.Corrupt > 0
}

// leaves reports whether a rank leaves for good.
func (c *Case) leaves(rank int) bool {
	return slices.ContainsFunc(c.World.Faults, func(f mem.Fault) bool { return f.Kind == mem.Leave && f.Node == rank })
}

// departures returns how many ranks leave for good, and whether a root is among them.
func (c *Case) departures() (count int, root bool) {
	for rank := range c.Ranks {
		if c.leaves(rank) {
			count++
			root = root || c.isRoot(rank)
		}
	}
	return count, root
}

// keepsMajority reports whether more than half of the ranks stay. Then those that stay are more than half of the members of
// each epoch, in whatever order they notice who has left.
func (c *Case) keepsMajority() bool {
	count, _ := c.departures()
	return 2*count < c.Ranks
}

// allows reports whether a rank may end with an error only because others leave. Without a majority a rank stops, and its
// peers may notice that before they would stop, so that they lose a root that has not left. Without a root there is no value.
func (c *Case) allows(err error) bool {
	_, root := c.departures()
	return !c.keepsMajority() && errors.Is(err, collective.ErrMinority) || (!c.keepsMajority() || root) && errors.Is(err, collective.ErrRootLost)
}
