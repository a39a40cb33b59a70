package explore

import (
	"math/rand/v2"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/limits"
)

// Limits are the [limits.Limits] that a case reduces; 0 keeps the default.
type Limits struct{ Ops, Chunk, Ingress, IngressBytes, Executions, Held, Timers, Events int }

func (l Limits) of() limits.Limits {
	x := limits.Default()
	for _, s := range []struct {
		to   *int
		from int
	}{{&x.Ops, l.Ops}, {&x.Wire.Chunk, l.Chunk}, {&x.Ingress, l.Ingress}, {&x.IngressBytes, l.IngressBytes}, {&x.Executions, l.Executions},
		{&x.Held, l.Held}, {&x.Timers, l.Timers}, {&x.Events, l.Events}} {
		if s.from > 0 {
			*s.to = s.from
		}
	}
	return x
}

// limit draws limits that are small, but large enough for honest peers.
func (c *Case) limit(r *rand.Rand) {
	l, small := &c.Limits, func(one int) bool { return r.IntN(one) == 0 }
	if small(3) {
		l.Chunk = 8 + r.IntN(64)
	}
	if small(3) {
		l.Ops = 1 + r.IntN(6)
	}
	if small(4) {
		l.Ingress = 1 + r.IntN(4)
	}
	if small(4) {
		l.IngressBytes = c.shares() * (c.Program.bytes() + 1000)
		l.IngressBytes += r.IntN(l.IngressBytes)
	}
	need := max(c.own(), c.shares()*c.others())
	if small(3) {
		l.Executions = need + r.IntN(need)
	}
	if small(4) {
		l.Held = c.shares() * max(c.own(), c.others()) * c.Program.bytes()
		l.Held += r.IntN(l.Held)
		if c.Lies.Shape > 0 { // the first value of a peer may be as large as what is left
			l.Held += c.Insiders * 8 * longestLie
		}
	}
	if small(4) {
		l.Timers = need * (1 + c.Program.asks())
		l.Timers += r.IntN(l.Timers)
	}
	if small(4) && !c.Program.Ticks && !c.has(Feed) && c.Program.Short == runtime.ShortFails && c.Insiders == 0 {
		l.Events = c.Program.Lanes*(3+c.Program.asks()*(1+c.Program.Workers)) + c.others() + r.IntN(8)
	}
}

// The needs of honest peers.

func (p *Program) bytes() int { return 8 * p.Size }

func (p *Program) asks() int { return p.count(Ask) + p.count(Few) }

func (p *Program) count(k Kind) (n int) {
	for _, s := range p.Steps {
		if s.Kind == k {
			n++
		}
	}
	return n
}

// tells returns how many messages a worker sends to the relay in a round.
func (p *Program) tells() (n int) {
	for _, s := range p.Steps {
		for _, sub := range s.Sub {
			if sub.Kind == Tell {
				n++
			}
		}
	}
	return n
}

// own returns how many executions the leader has at a time: for each lane a round and one that has just ended,
// with the answers to all its questions; and clocks.
func (c *Case) own() int { return 2*c.Program.Lanes*(1+c.Program.asks()*c.Program.Workers) + 4 }

// others returns the maximum number of executions of others that a peer has at a time: all rounds, as some of
// their executions are not waited for.
func (c *Case) others() int {
	p := &c.Program
	n := p.Lanes * p.Rounds * (2 + p.count(Stray) + 2*p.count(Apart) + p.tells())
	if p.Short != runtime.ShortFails {
		n *= 4
	}
	return n
}

// shares returns the factor from one peer's needs to a limit, so that each peer has its share beside those of
// insiders.
func (c *Case) shares() int { return 2 * (c.Insiders + 1) * (c.Program.Workers + 2) }
