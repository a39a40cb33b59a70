package exec

import (
	"context"
	"os"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// BenchmarkGraph runs a model on one image, without a network.
func BenchmarkGraph(b *testing.B) {
	model, err := os.ReadFile("../../examples/digits/digits.onnx")
	if err != nil {
		b.Fatal(err)
	}
	m := &budget{limit: 1 << 30}
	g, err := Decode("digits", model, m)
	if err != nil {
		b.Fatal(err)
	}
	in := []*tensor.Tensor{tensor.New(tensor.Float32, 1, 1, 28, 28)}
	for b.Loop() {
		out, err := g.Run(context.Background(), in)
		if err != nil {
			b.Fatal(err)
		}
		m.Give(Bytes(out[0]))
	}
}
