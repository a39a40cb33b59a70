package partitioner_test

import (
	"math"
	"testing"
	"time"

	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/partitioner"
)

// TestCost shows what rounds of programs send.
func TestCost(t *testing.T) {
	golden.Run(t, "testdata/cost_*.txtar", func(t *testing.T, a *golden.Archive) {
		p, err := partitioner.Make(compiled(t, a.Name, a.Get("in.ir")), partitioner.Options{Unbound: true})
		if err != nil {
			t.Fatal(err)
		}
		c := partitioner.Estimate(p, partitioner.CostOptions{Sizes: map[string]int{"update_n": 1000}, Peers: map[string]int{"client": 8}, Bandwidth: 1e6, Latency: 20 * time.Millisecond})
		a.Check("out/cost", c.String())

		var links, edges int64
		for _, l := range c.Links {
			links += l.Bytes
		}
		for _, e := range c.Edges {
			edges += e.Bytes
		}
		if links != c.Bytes || edges != c.Bytes || c.Lower > c.Bytes || math.IsNaN(c.Seconds) {
			t.Errorf("links send %d, edges %d, all %d, at least %d", links, edges, c.Bytes, c.Lower)
		}
	})
}
