package partitioner_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/partitioner"
)

// TestCost shows the bytes that rounds of programs send.
func TestCost(t *testing.T) {
	golden.Run(t, "testdata/cost_*.txtar", func(t *testing.T, a *golden.Archive) {
		p, err := partitioner.Make(compiled(t, a.Name, a.Get("in.ir")), partitioner.Options{Unbound: true})
		if err != nil {
			t.Fatal(err)
		}
		said := map[string]int{"update_n": 1000}
		known, likely, unknown := partitioner.ParameterSizes(p, said, parametersIn(a))
		c := partitioner.Estimate(p, partitioner.CostOptions{Sizes: said, Known: known, Likely: likely, Peers: map[string]int{"client": 8}, Bandwidth: 1e6, Latency: 20 * time.Millisecond})
		a.Check("out/cost", c.String()+strings.Join(append(unknown, ""), "\n"))

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

// parametersIn returns the numbers of parameters of models: the section "models" of an archive has lines with
// a class, a slot and a number.
func parametersIn(a *golden.Archive) func(*partitioner.Partition, *partitioner.Slot) (int, error) {
	models := ""
	if a.Has("models") {
		models = a.Get("models")
	}
	return func(p *partitioner.Partition, s *partitioner.Slot) (n int, err error) {
		for line := range strings.Lines(models) {
			var class, slot string
			if _, err := fmt.Sscan(line, &class, &slot, &n); err != nil {
				return 0, err
			}
			if class == p.Class && slot == s.Name {
				return n, nil
			}
		}
		return 0, errors.New("no file is bound to it")
	}
}
