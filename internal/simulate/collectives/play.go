package collectives

import (
	"bytes"
	"cmp"
	"fmt"
	"runtime/debug"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Result is the result of a case.
type Result struct {
	Hash uint64 // of all steps
	Err  error
	Seen Seen
}

// Seen counts events of a case.
type Seen struct {
	Results, Fewer int // results, and those that lack a rank
	Errors         int // ranks that have ended with an error
	Stops          int // ranks that have ended because no majority stays, or no root
	Lies, Doubts   int // about links, and messages of ranks that doubt them
}

// patience is how long after the last fault the case must be over, ns.
const patience = 600e9

// Play runs a case. Log, if not nil, is called with each step.
func Play(c *Case, log func(string)) (r Result) {
	g := newGame(c, log)
	defer func() {
		if p := recover(); p != nil {
			r.Err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	until := c.World.Heal
	for _, f := range c.World.Faults {
		until = max(until, f.At+f.For)
	}
	done, err := g.net.Run(until+patience, g.over)
	if err = cmp.Or(g.err, err); err == nil && !done {
		err = g.stuck()
	}
	if err == nil {
		err = g.check()
	}
	return Result{g.net.Hash(), err, g.seen}
}

// place identifies a result.
type place struct{ rank, call, round int }

// game is a running case.
type game struct {
	c       *Case
	net     *mem.Network
	log     func(string)
	results map[place][]byte
	made    []int   // by rank: the number of its results
	failed  []error // by rank: the error with which it has ended
	leftOut []bool  // by rank: others have told it that they continue without it
	err     error   // the first violated invariant
	mayWait bool    // for a rank that has made a mistake, and makes no more calls, or lost durable data
	torn    bool    // a rank has lost durable data, and may wait for a result that it has reported before
	seen    Seen
}

// newGame returns the game of a case, with all ranks.
func newGame(c *Case, log func(string)) *game {
	g := &game{c: c, net: mem.New(c.World), log: log, results: map[place][]byte{}, failed: make([]error, c.Ranks),
		leftOut: make([]bool, c.Ranks), made: make([]int, c.Ranks), mayWait: c.Mistake != nil}
	for rank := range c.Ranks {
		g.add(rank)
	}
	g.net.Started, g.net.Told, g.net.Sent = g.started, g.told, g.sent
	g.net.Torn = func(int) { g.mayWait, g.torn = true, true }
	if c.Liar >= 0 {
		g.net.Forge = g.forge
	}
	return g
}

func (g *game) add(rank int) {
	limits := limits.Default()
	limits.Wire.Chunk = cmp.Or(g.c.Chunk, limits.Wire.Chunk)
	limits.Ops = cmp.Or(g.c.Ops, limits.Ops)
	rc := runtime.Config{Rank: rank, Seed: g.c.Seed, Durable: true, Limits: limits, Heartbeat: g.c.Heartbeat}
	rc.Trace = func(s runtime.Step) {
		g.say("rank %d: %s of %d/%d", rank, s.Block, s.Exec.Incarnation, s.Exec.Number)
	}
	g.net.Add(rc, func() *runtime.Partition { return &newPart(g.c, rank).Partition })
}

func (g *game) say(format string, args ...any) {
	if g.log != nil {
		g.log(fmt.Sprintf("%12d ", g.net.Now()) + fmt.Sprintf(format, args...))
	}
}

func (g *game) wrong(format string, args ...any) {
	if g.err == nil {
		g.err = fmt.Errorf("at %d ns: "+format, append([]any{g.net.Now()}, args...)...)
	}
}

// started begins the first round.
func (g *game) started(rank int, n *runtime.Node) {
	if _, err := n.Invoke(n.Now(), "round", numbered(0)); err != nil {
		g.wrong("rank %d: %v", rank, err)
	}
}

// told handles an event of a rank.
func (g *game) told(rank int, e runtime.Event) {
	switch e.Kind {
	case runtime.Emitted:
		g.emitted(rank, &e)
	case runtime.Failed:
		g.say("rank %d fails: %v", rank, e.Err)
		g.failed[rank] = cmp.Or(g.failed[rank], e.Err)
	case runtime.Refused, runtime.Overflow:
		if g.c.Liar >= 0 && e.Kind == runtime.Refused && e.Peer != mem.PeerID(g.c.Liar) {
			g.wrong("rank %d refuses a message of a rank that does not lie: %v", rank, e.Err)
		}
		g.say("rank %d: %v %s: %v", rank, e.Kind, e.Name, e.Err)
	}
}

// sent notes which ranks learn that the others continue without them.
func (g *game) sent(_, to int, _ uint64, e *wire.Envelope) {
	for i := range e.Fills {
		var m collective.Message
		if m.SetWords(e.Fills[i].Dims) == nil && m.Type == collective.LeftOut {
			g.leftOut[to] = true
		}
	}
}

func (g *game) emitted(rank int, e *runtime.Event) {
	b := tensor.Data[uint8](e.Value.(*tensor.Tensor))
	at := place{rank: rank, round: int(b[0])}
	if _, err := fmt.Sscanf(e.Name, "call%d", &at.call); err != nil {
		g.wrong("rank %d reports %q", rank, e.Name)
	}
	have, twice := g.results[at]
	switch {
	case twice && !bytes.Equal(have, b[1:]):
		g.wrong("%+v is reported as %x, and as %x before", at, b[1:], have)
	case !twice:
		g.results[at] = append([]byte(nil), b[1:]...)
		g.made[rank]++
	}
}

// isDone reports whether a rank has all results.
func (g *game) isDone(rank int) bool { return g.made[rank] == g.c.Rounds*len(g.c.Calls) }

// over reports whether each rank has all results or an error, or has left, and no message is left to send if
// all are connected.
func (g *game) over() bool {
	if g.err != nil {
		return true
	}
	if g.net.Now() < g.c.World.Heal {
		return false
	}
	leavers, _ := g.c.departures()
	for rank := range g.c.Ranks {
		n := g.net.Node(rank)
		if n != nil && !g.isDone(rank) && g.failed[rank] == nil || n == nil && !g.c.leaves(rank) {
			return g.mayWait && g.net.Now() > g.c.World.Heal+enough
		}
		if n != nil && g.c.IfLost != 1 && n.Stats().Live+n.Stats().Outbound > 0 && leavers == 0 {
			return g.torn && g.net.Now() > g.c.World.Heal+enough
		}
	}
	return true
}

// enough is how long a case runs, ns, if ranks may wait for ever.
const enough = 60e9

// stuck returns an error that names the ranks that wait for ever.
func (g *game) stuck() error {
	for rank := range g.c.Ranks {
		n := g.net.Node(rank)
		switch {
		case n == nil && !g.c.leaves(rank):
			return fmt.Errorf("rank %d is down for ever", rank)
		case n != nil && !g.isDone(rank) && g.failed[rank] == nil:
			return fmt.Errorf("rank %d (if lost: %v) waits for ever: it has %d of %d results", rank, g.c.IfLost, g.made[rank], g.c.Rounds*len(g.c.Calls))
		case n != nil && n.Stats().Live+n.Stats().Outbound > 0:
			return fmt.Errorf("rank %d does not come to rest: %d executions, %d envelopes", rank, n.Stats().Live, n.Stats().Outbound)
		}
	}
	return fmt.Errorf("it does not end")
}
