package collective

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// network is groups whose messages arrive in any order, and sometimes twice. Those of every other seed sign their reports.
type network struct {
	t       *testing.T
	r       *rand.Rand
	groups  []*Group
	dead    []bool
	flying  []packet
	results [][]Result // by rank
	sent    []int      // bytes by rank
	apart   func(from, to int) bool
	twice   float64
	alter   func(from, to int, m *Message) // what a rank sends; nil: nothing is altered

	restarts int // in a hundred steps
}

// restart replaces a group by one that is restored from its snapshot.
func (n *network) restart(rank int) {
	n.collect()
	g := n.groups[rank]
	b, err := g.AppendBinary(nil)
	if err != nil {
		n.t.Fatal(err)
	}
	c := g.config
	if n.groups[rank], err = New(c); err == nil {
		err = n.groups[rank].UnmarshalBinary(b)
	}
	if err != nil {
		n.t.Fatal(err)
	}
}

type packet struct {
	from, to int
	Message
}

func newNetwork(t *testing.T, seed uint64, c Config) *network {
	n := &network{t: t, r: rand.New(rand.NewPCG(seed, 1)), dead: make([]bool, c.Ranks), results: make([][]Result, c.Ranks), sent: make([]int, c.Ranks)}
	for r := range c.Ranks {
		c.Self = r
		if seed%2 == 0 {
			c.Identity = testIdentity(r)
		}
		g, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		n.groups = append(n.groups, g)
	}
	return n
}

// wireBytes is the minimum size of a message without its data.
const wireBytes = 64

// pull pulls one message of a rank, of those that may be sent.
func (n *network) pull() bool {
	type way struct{ from, to int }
	var ways []way
	for from, g := range n.groups {
		for to := range n.groups {
			if !n.dead[from] && from != to && n.inFlight(from, to) < 3 && g.Waits(to) {
				ways = append(ways, way{from, to})
			}
		}
	}
	if len(ways) == 0 {
		return false
	}
	w := ways[n.r.IntN(len(ways))]
	m, ok := n.groups[w.from].Pull(w.to)
	if !ok {
		n.t.Fatal("something waits and cannot be pulled")
	}
	m.Data = slices.Clone(m.Data)
	if n.alter != nil {
		n.alter(w.from, w.to, &m)
	}
	n.sent[w.from] += len(m.Data) + wireBytes
	for again := true; again; again = n.r.Float64() < n.twice {
		n.flying = append(n.flying, packet{w.from, w.to, m})
	}
	return true
}

func (n *network) inFlight(from, to int) (k int) {
	for _, p := range n.flying {
		if p.from == from && p.to == to {
			k++
		}
	}
	return k
}

// deliver delivers any message.
func (n *network) deliver() bool {
	if len(n.flying) == 0 {
		return false
	}
	i := n.r.IntN(len(n.flying))
	p := n.flying[i]
	n.flying = slices.Delete(n.flying, i, i+1)
	if n.dead[p.to] || n.apart != nil && n.apart(p.from, p.to) {
		return true
	}
	var m Message
	words := p.Words()
	if err := m.SetWords(words[:]); err != nil {
		n.t.Fatal(err)
	}
	m.Stream, m.Data = p.Stream, slices.Clone(p.Data)
	if err := n.groups[p.to].Receive(p.from, &m); err != nil {
		n.t.Fatalf("rank %d: %v: %+v", p.to, err, m)
	}
	for i := range m.Data { // the data were borrowed
		m.Data[i] = 0xee
	}
	return true
}

// collect collects the available results.
func (n *network) collect() {
	for r, g := range n.groups {
		for {
			res, ok := g.Done()
			if !ok {
				break
			}
			n.results[r] = append(n.results[r], res)
		}
		if bad := g.Refused(); len(bad) > 0 {
			n.t.Fatalf("rank %d: %v", r, errors.Join(bad...))
		}
	}
}

// step makes one random step, and reports whether there was one.
func (n *network) step() bool {
	defer n.collect()
	if n.r.IntN(8) == 0 {
		n.groups[n.r.IntN(len(n.groups))].SetLinks(drawnLinks(n.r))
	}
	if n.r.IntN(100) < n.restarts {
		n.restart(n.r.IntN(len(n.groups)))
	}
	if n.r.IntN(2) == 0 {
		return n.pull() || n.deliver()
	}
	return n.deliver() || n.pull()
}

func (n *network) run() {
	for n.step() {
	}
}

// kill kills a rank. The others are told one by one, or all at once.
func (n *network) kill(rank int) {
	n.dead[rank] = true
	n.flying = slices.DeleteFunc(n.flying, func(p packet) bool { return p.to == rank || p.from == rank && n.r.IntN(2) == 0 })
}

func (n *network) tellDown(rank int) {
	for r, g := range n.groups {
		if !n.dead[r] {
			g.Down(rank)
		}
	}
	n.collect()
}

// text returns a result as text.
func text(r Result) string {
	if r.Err != nil {
		return fmt.Sprintf("call %d of %d: %v", r.Call, r.Stream, r.Err)
	}
	return fmt.Sprintf("call %d of %d: %d rows of %d ranks: %x", r.Call, r.Stream, r.Rows, r.Ranks, r.Data)
}

// testIdentity is the identity of a rank. It signs by a hash, which everybody can compute, but nobody in the tests does.
type testIdentity int

func (i testIdentity) Sign(message []byte) []byte {
	h := sha256.Sum256(append([]byte{byte(i)}, message...))
	return h[:]
}

func (testIdentity) Verify(rank int, message, signature []byte) bool {
	return bytes.Equal(signature, testIdentity(rank).Sign(message))
}
