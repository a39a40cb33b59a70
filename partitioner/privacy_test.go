package partitioner_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/partitioner"
)

// TestNoises shows how often programs add noise.
func TestNoises(t *testing.T) {
	golden.Run(t, "testdata/noise_*.txtar", func(t *testing.T, a *golden.Archive) {
		p, err := partitioner.Make(compiled(t, a.Name, a.Get("in.ir")), partitioner.Options{Unbound: true})
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		for _, n := range partitioner.Noises(p) {
			fmt.Fprintf(&out, "%+v\n", n)
		}
		a.Check("out/noises", out.String())
	})
}
