package remote_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/remote"
	"github.com/bbgen/bbgen/remote/server"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
)

func digits(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile("../examples/digits/digits.onnx")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// images returns different images.
func images(n int) *tensor.Tensor {
	x := tensor.New(tensor.Float32, n, 1, 28, 28)
	for i := range tensor.Data[float32](x) {
		tensor.Data[float32](x)[i] = float32(i*31%17) / 17
	}
	return x
}

// evaluated returns the local result of the graph.
func evaluated(t testing.TB, model []byte, x *tensor.Tensor) *tensor.Tensor {
	t.Helper()
	m, err := onnx.Decode("digits", model, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := pass.Run(m, pass.Pipeline, nil); err != nil {
		t.Fatal(err)
	}
	out, err := eval.Run(m.Main, []tensor.Value{x})
	if err != nil {
		t.Fatal(err)
	}
	return out[0].(*tensor.Tensor)
}

// A model is sent once, and has the local results for every batch size.
func TestGraph(t *testing.T) {
	ctx := context.Background()
	s := start(t)
	d := dial(t, s)
	model := digits(t)
	g, err := d.Load(ctx, model)
	if err != nil {
		t.Fatal(err)
	}
	if g.Inputs() != 1 || g.Outputs() != 1 {
		t.Errorf("it has %d inputs and %d outputs, want 1 of each", g.Inputs(), g.Outputs())
	}
	for _, n := range []int{1, 3, 1} {
		x := images(n)
		got := mustRead(t, g.Run(d.Register(x))[0])
		if err := compare.Values(got, evaluated(t, model, x), compare.Tolerance{Rel: 1e-4, Abs: 1e-4}); err != nil {
			t.Errorf("%d images: %v", n, err)
		}
	}
	p, _ := d.Describe(ctx)
	again, err := d.Load(ctx, model)
	if err != nil {
		t.Fatal(err)
	}
	q, _ := d.Describe(ctx)
	if q.Used > p.Used {
		t.Errorf("the client uses %d bytes after it loads the model again, and %d before", q.Used, p.Used)
	}
	mustRead(t, again.Run(d.Register(images(1)))[0])
	y := g.Run(d.Register(images(2)))[0]
	g.Release() // the run is still executed
	mustRead(t, y)
	if _, err := g.Run(d.Register(images(1)))[0].Read(ctx); err == nil || !strings.Contains(err.Error(), "released") {
		t.Errorf("got %v, want that the graph was released", err)
	}
}

func TestGraphErrors(t *testing.T) {
	ctx := context.Background()
	d, other := dial(t, start(t)), dial(t, start(t, func(c *server.Config) { c.ClientMemory = 10_000 }))
	if _, err := d.Load(ctx, []byte("not a model")); err == nil || !strings.Contains(err.Error(), "not an ONNX model") {
		t.Errorf("got %v", err)
	}
	g, err := d.Load(ctx, digits(t))
	if err != nil {
		t.Fatal(err)
	}
	for want, in := range map[string][]*remote.Tensor{
		"got 0 inputs":             nil,
		`input "image"`:            {d.Register(vec(1))},
		"no tensor of this device": {other.Register(vec(1))},
	} {
		if _, err := g.Run(in...)[0].Read(ctx); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if _, err := other.Load(ctx, digits(t)); !errors.Is(err, remote.ErrMemory) {
		t.Errorf("got %v, want %v", err, remote.ErrMemory)
	}
	if _, err := other.Run(g, other.Register(vec(1)))[0].Read(ctx); err == nil || !strings.Contains(err.Error(), "load it here") {
		t.Errorf("got %v", err)
	}
}
