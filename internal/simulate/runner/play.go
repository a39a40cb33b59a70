package runner

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/internal/simulate/parts"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Program is a program with the number of peers of each class.
type Program struct {
	Seed    uint64
	Gossips bool // its peers have timers with which they exchange messages
	Classes []Class
	want    []string
}

// Class is the peers of one class.
type Class struct {
	Name      string
	Count     int
	Partition func(runtime.Env) (*runtime.Partition, error)
}

const (
	faultEnd = int64(500e6) // all faults have ended by then
	lateEnd  = int64(4e9)   // or by then, where peers gossip: they have agreed on something by then
	deadline = int64(600e9) // and every round by then
)

// faultEnd returns when the faults of a schedule end.
func (p *Program) faultEnd(schedule int) int64 {
	if p.Gossips && schedule%2 == 1 {
		return lateEnd
	}
	return faultEnd
}

func (p *Program) peers() (n int) {
	for _, c := range p.Classes {
		n += c.Count
	}
	return n
}

// faults draws a schedule. The first has none.
func (p *Program) faults(schedule int) []mem.Fault {
	if schedule == 0 {
		return nil
	}
	return mem.Faults(rand.New(rand.NewPCG(p.Seed, uint64(schedule))), 8, p.peers(), p.faultEnd(schedule))
}

// config draws how bad the network is.
func (p *Program) config(schedule int, faults []mem.Fault) (mem.Config, *rand.Rand) {
	r := rand.New(rand.NewPCG(p.Seed, uint64(schedule)<<32|1))
	return mem.Config{
		Seed: r.Uint64(), Delay: 1 + r.Int64N(5e6), Jitter: r.Int64N(20e6), Loss: r.Float64() * 0.2, Duplicate: r.Float64() * 0.2,
		Corrupt: r.Float64() * 0.02, Skew: r.Int64N(100000), Command: r.Int64N(30e6), Persist: r.Int64N(10e6), ByteTime: r.Int64N(1e6),
		Heal: p.faultEnd(schedule), Faults: faults,
	}, r
}

// game is one run of a program.
type game struct {
	*Program
	net *mem.Network
	end int64 // of the faults
	got map[string]bool
	err error

	distinct int // values among want

	ticks map[*runtime.Counter]int64 // the counts of the workers' clocks at the end of the last fault
}

// play runs the program and returns the hash of all steps.
func (p *Program) play(schedule int, faults []mem.Fault, log func(string)) (hash uint64, blocks int, err error) {
	config, r := p.config(schedule, faults)
	g := &game{Program: p, net: mem.New(config), end: config.Heal, got: map[string]bool{}, ticks: map[*runtime.Counter]int64{}, distinct: len(slices.Compact(slices.Sorted(slices.Values(p.want))))}
	limits := limits.Default()
	if r.IntN(3) == 0 {
		limits.Wire.Chunk = 1 + r.IntN(16) // small payloads are bulk, too
	}
	if r.IntN(3) == 0 {
		limits.Ops = 1 + r.IntN(4) // the budget of a Poll is often used up
	}
	names := g.add(limits, log)
	g.net.Booting = g.boot
	g.net.Told = func(i int, e runtime.Event) { g.told(names[i], e) }
	done, err := g.net.Run(deadline, g.over)
	switch {
	case err == nil && g.err != nil:
		err = g.err
	case err == nil:
		err = g.check(done)
	}
	return g.net.Hash(), g.net.Steps, err
}

// add adds the peers and returns their names.
func (g *game) add(limits limits.Limits, log func(string)) (names []string) {
	for _, c := range g.Classes {
		for rank := range c.Count {
			name := fmt.Sprintf("%s %d", c.Name, rank)
			env := parts.Env(g.Seed, c.Name, rank)
			env.Identity = mem.Identity(len(names))
			names = append(names, name)
			rc := runtime.Config{Rank: rank, Seed: g.Seed, Durable: true, Limits: limits}
			if log != nil {
				rc.Trace = func(s runtime.Step) {
					log(fmt.Sprintf("%12d %s: %s.%s of %d", g.net.Now(), name, s.Module, s.Block, s.Exec.Number))
				}
			}
			g.net.Add(rc, func() *runtime.Partition {
				part, err := c.Partition(env)
				if err != nil {
					panic(fmt.Sprintf("%s: %v", name, err))
				}
				return part
			})
		}
	}
	return names
}

// boot gives a peer what its bootstrap waits for.
func (g *game) boot(_ int, n *runtime.Node) {
	for _, module := range n.NotBooted() {
		if _, err := n.Invoke(n.Now(), module, tensor.Of([]float64{2, -4}, 2)); err != nil && g.err == nil {
			g.err = err
		}
	}
}

func (g *game) told(name string, e runtime.Event) {
	switch e.Kind {
	case runtime.Emitted, runtime.Published: // loops publish, too, without values
		if t, ok := e.Value.(*tensor.Tensor); ok && t.DType == tensor.Float64 {
			x := slices.Clone(tensor.Data[float64](t))
			for i := range x {
				x[i] += 0 // zeros of both signs are equal
			}
			g.got[fmt.Sprintf("%s: %s %v", name, e.Name, x)] = true
		}
	case runtime.Failed, runtime.Overflow, runtime.Missing:
		if g.expected(name, e) {
			return
		}
		if g.err == nil {
			g.err = fmt.Errorf("%s: %v %s.%s: %v", name, e.Kind, e.Module, e.Name, e.Err)
		}
	}
}

// expected records that a value is missing without which the program continues, and failures because of that.
func (g *game) expected(name string, e runtime.Event) bool {
	if e.Kind == runtime.Failed && strings.HasPrefix(e.Module, "log_") && strings.HasSuffix(e.Err.Error(), "are decided") {
		return true // it came after the decision of the next round
	}
	what := e.Name
	var cut *runtime.CutError
	if e.Kind == runtime.Failed && errors.As(e.Err, &cut) {
		what = cut.Cut
	} else if rest, ok := strings.CutPrefix(cause(e.Err), "fill "); ok {
		what, _, _ = strings.Cut(rest, " ") // after a restart there is only the text
	}
	if noticed(e) {
		g.got[name+": found a lie"] = true
		return true
	}
	if strings.HasPrefix(what, "maybe") {
		return true // whether those are asked who do not answer depends on who is silent
	}
	if !strings.HasPrefix(what, "lazy") && !strings.HasPrefix(what, "never") {
		return false
	}
	g.got[fmt.Sprintf("%s: without %s", name, what)] = true
	return true
}

// cause returns the text of the fill in an error that a value is missing, or "".
func cause(err error) string {
	what := fmt.Sprint(err)
	if i := strings.Index(what, "fill "); i >= 0 && strings.HasSuffix(what, "deadline exceeded") {
		return what[i:]
	}
	return ""
}

// noticed reports whether a worker refuses to agree on a list of the peers in a sum, or the leader has too few
// signatures of its list.
func noticed(e runtime.Event) bool {
	what := fmt.Sprint(e.Err)
	return strings.Contains(what, "peers take part, want at least") || strings.Contains(what, "in the sum, which has sent no shares") ||
		strings.Contains(e.Name+what, "lie_agreed")
}

// gossiping is how many messages of a peer may be under way in a program that gossips, in which some always are.
const gossiping = 32

// over reports whether all values have come, all messages are acknowledged, and no execution is left.
func (g *game) over() bool {
	if g.err != nil {
		return true
	}
	if g.net.Now() < g.end || len(g.got) < g.distinct {
		return false
	}
	most := 0
	if g.Gossips {
		most = gossiping
	}
	for i := range g.peers() {
		if n := g.net.Node(i); n == nil || n.Stats().Live > 0 || n.Stats().Outbound > most || !g.ticking(n) {
			return false
		}
	}
	return true
}

// ticking reports whether the timers of a node's modules still run: their counts have increased since the first
// call.
func (g *game) ticking(n *runtime.Node) bool {
	all := true
	n.Counters(func(c *runtime.Counter) {
		if c.Name != "ticks" {
			return
		}
		first, ok := g.ticks[c]
		if !ok {
			g.ticks[c], first = c.Value(), c.Value()
		}
		all = all && c.Value() > first
	})
	return all
}

// check compares the outputs with the expected ones.
func (g *game) check(done bool) error {
	var problems []string
	for _, x := range g.want {
		if !g.got[x] {
			problems = append(problems, "missing "+x)
		}
	}
	for _, x := range g.want { // rounds may have equal outputs
		delete(g.got, x)
	}
	for x := range g.got {
		problems = append(problems, "wrong "+x)
	}
	slices.Sort(problems)
	if !done && len(problems) == 0 {
		problems = append(problems, "it does not come to rest")
	}
	if len(problems) == 0 {
		return nil
	}
	return fmt.Errorf("%s", strings.Join(problems[:min(len(problems), 6)], ", "))
}
