package peer

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// doubler gives the host twice its input, and fails for a 0.
type doubler struct {
	nothingBody
	x float32
}

func (d *doubler) Input(_ int, v tensor.Value) error {
	t, ok := v.(*tensor.Tensor)
	if !ok || t.DType != tensor.Float32 || t.Len() != 1 {
		return errors.New("want one float32")
	}
	d.x = tensor.Data[float32](t)[0]
	return nil
}

func (d *doubler) Run(e *runtime.Engine, _ int) error {
	if d.x == 0 {
		return errors.New("a zero")
	}
	e.Emit(&d.Frame, "y", tensor.Of([]float32{2 * d.x}, 1))
	return nil
}

// doubling returns a program with the module double, and the module waits, which waits for what no peer sends.
func doubling() Program {
	body := func() runtime.Body { return &doubler{} }
	edge := runtime.Edge{ID: 1, Name: "x.word", From: "x", Receives: true, Module: 1, Cut: 1}
	input := runtime.Cut{Kind: runtime.InputCut, Name: "x"}
	return Program{Name: "test", Class: "x", Transport: newQuietTransport, Partition: func(runtime.Env) (*runtime.Partition, error) {
		return &runtime.Partition{Class: "x", Edges: []runtime.Edge{edge}, Modules: []runtime.Module{
			{Name: "double", New: body, Inputs: []int{0}, Cuts: []runtime.Cut{input}, Blocks: []runtime.Block{{Name: "double", Wait: 1, Ops: 1}}},
			{Name: "waits", New: body, Inputs: []int{0}, Cuts: []runtime.Cut{input, {Kind: runtime.FillCut, Name: "word"}}, Blocks: []runtime.Block{{Name: "wait", Wait: 3, Ops: 1}}},
		}}, nil
	}}
}

func starts(t *testing.T, args ...string) *Peer {
	t.Helper()
	x, err := Start(t.Context(), doubling(), append([]string{"-log", "none", "-grace", "1ms"}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	if err := x.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	return x
}

// one returns an input.
func one(name string, x float32) map[string]tensor.Value {
	return map[string]tensor.Value{name: tensor.Of([]float32{x}, 1)}
}

// A program that runs a peer gets the outputs of its calls, or the reason why there are none.
func TestInvoke(t *testing.T) {
	x := starts(t)
	if x.ID().IsZero() || x.Addresses() != nil {
		t.Errorf("the peer is %v at %v", x.ID(), x.Addresses())
	}
	out, err := x.Invoke(t.Context(), "double", one("x", 3))
	if y, ok := out["y"].(*tensor.Tensor); err != nil || !ok || tensor.Data[float32](y)[0] != 6 {
		t.Errorf("got %v, %v, want 6", out, err)
	}
	two := one("x", 1)
	two["z"] = two["x"]
	for _, c := range []struct {
		module string
		inputs map[string]tensor.Value
		want   string
	}{
		{"treble", nil, "treble"},
		{"double", one("z", 1), "invoke double: input x is missing"},
		{"double", two, "invoke double: 2 inputs are given, want 1: [x]"},
		{"double", map[string]tensor.Value{"x": tensor.Of([]string{"a"}, 1)}, "want one float32"},
		{"double", one("x", 0), "of double: block double: a zero"},
	} {
		if _, err := x.Invoke(t.Context(), c.module, c.inputs); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.module, err, c.want)
		}
	}
	if _, err := x.Bootstrap(t.Context(), nil, "double"); err == nil || !strings.Contains(err.Error(), `bootstrap: there is no "double"`) {
		t.Errorf("a bootstrap that there is not: %v", err)
	}
	if out, err := x.Bootstrap(t.Context(), nil); err != nil || len(out) != 0 {
		t.Errorf("a program without a bootstrap gives %v, %v", out, err)
	}
}

// A call ends with its context, and says what it waits for; or with the peer. A peer that has stopped takes no calls.
func TestInvokeEnds(t *testing.T) {
	x := starts(t)
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(enough)
	if _, err := x.Invoke(ctx, "waits", one("x", 1)); !errors.Is(err, enough) || !strings.Contains(err.Error(), "waits for waits") {
		t.Errorf("got %v, want %v and the module", err, enough)
	}
	ended := make(chan error)
	go func() {
		_, err := x.Invoke(context.Background(), "waits", one("x", 1))
		ended <- err
	}()
	if err := x.Close(); err != nil && !errors.Is(err, errGrace) {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, ErrStopped) {
		t.Errorf("a call of a peer that stops: %v", err)
	}
	if _, err := x.Invoke(t.Context(), "double", one("x", 1)); !errors.Is(err, ErrStopped) {
		t.Errorf("a call of a peer that has stopped: %v", err)
	}
	if _, err := Start(t.Context(), doubling(), "-nosuch"); err == nil {
		t.Error("a flag that there is not is taken")
	}
	p := doubling()
	p.Transport = noTransport
	if _, err := Start(t.Context(), p, "-log", "none"); err == nil {
		t.Error("a peer without a network runs")
	}
}
