// Package messages lists what the peers of a measured program send, for tests.
package messages

import (
	"fmt"
	"slices"
	"testing"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/ir/onnx"
)

// Check fails unless the edges of p, sorted, are these: "CLASS to CLASS: TYPE".
func Check(t testing.TB, p dsl.Program, want ...string) {
	t.Helper()
	artifact, err := dsl.Build(p)
	if err != nil {
		t.Fatal(err)
	}
	m, err := onnx.Decode("program", artifact, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := bbgen.Compile(m, bbgen.Config{Import: "example.org/peers", Cut: &bbgen.Cut{Dir: "."}, Hosts: []string{"tcp"}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range r.Program.Edges {
		got = append(got, fmt.Sprintf("%s to %s: %v", e.From, e.To, e.Type.Elem))
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
