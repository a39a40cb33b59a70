package stream

import (
	"fmt"
	"slices"
	"testing"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/ir/onnx"
)

// The source sends tensors on all lanes. The sink only sends their lengths.
func TestMessages(t *testing.T) {
	artifact, err := dsl.Build(Program())
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
	want := []string{
		"sink to source: int64",
		"sink to source: int64",
		"sink to source: int64",
		"source to sink: float32",
		"source to sink: float32",
		"source to sink: float32",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
