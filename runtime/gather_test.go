package runtime

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The result of hopes equals that of a check of all asked peers, whatever the order in which they contribute,
// go down and come back.
func TestHopes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		n := testNode(t, Config{}, &Partition{})
		var g gather
		for i := range 100 {
			p := n.welcome(PeerConfig{ID: testPeer(byte(i + 2)), Rank: r.IntN(1000)})
			if r.IntN(2) == 0 {
				g.ask(p)
				g.ask(p)
			}
		}
		for len(g.asked) > 0 {
			p := g.asked[r.IntN(len(g.asked))]
			switch c := g.of(p); {
			case r.IntN(3) == 0:
				p.down = !p.down
			case c != nil:
				c.ended = true
			default:
				at, _ := slices.BinarySearchFunc(g.children, p, func(c *Frame, p *peer) int { return c.from.compare(p) })
				g.children = slices.Insert(g.children, at, &Frame{execution: execution{from: p, ended: r.IntN(2) == 0}})
			}
			want := slices.ContainsFunc(g.asked, func(p *peer) bool {
				c := g.of(p)
				return c == nil && !p.down || c != nil && !c.ended
			})
			if got := g.hopes(nil); got != want {
				t.Fatalf("got %v, want %v", got, want)
			}
			if !want {
				break
			}
		}
		for _, p := range n.roster {
			if g.asks(p) != slices.Contains(g.asked, p) {
				t.Errorf("peer %d is asked: %v", p.index, g.asks(p))
			}
		}
	}
}
