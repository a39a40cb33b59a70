package peer

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/disk"
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

func (d *doubler) Run(n *runtime.Node, _ int) error {
	if d.x == 0 {
		return errors.New("a zero")
	}
	n.Emit(&d.Frame, "y", tensor.Of([]float32{2 * d.x}, 1))
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

// A peer inside another program cannot become another binary: it says so, and runs on.
func TestUpgradeRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	if err := upgradeCommand(t.Context(), nil, nil, &strings.Builder{}, nil); err == nil || err.Error() != "upgrade: want -state DIR" {
		t.Error(err)
	}
	if err := upgradeCommand(t.Context(), nil, []string{"-state", dir}, &strings.Builder{}, nil); err == nil || !strings.Contains(err.Error(), "no peer has run on") {
		t.Error(err)
	}
	x := starts(t, "-state", dir, "-grace", "1m")
	err := upgradeCommand(t.Context(), nil, []string{"-state", dir, "-binary", "other"}, &strings.Builder{}, nil)
	if err == nil || !strings.Contains(err.Error(), "the peer runs inside another program") {
		t.Errorf("got %v", err)
	}
	if o, err := readOrder(disk.OS, dir); o != nil || err != nil {
		t.Errorf("the order stays: %v, %v", o, err)
	}
	if _, err := x.Invoke(t.Context(), "double", one("x", 1)); err != nil {
		t.Errorf("the peer does not run on: %v", err)
	}
	x.Close()
	if err := upgradeCommand(t.Context(), nil, []string{"-state", dir}, &strings.Builder{}, nil); err == nil || !strings.Contains(err.Error(), "no peer runs on") {
		t.Error(err)
	}
}

// A peer goes on as a binary of its own program and class whose snapshots it can read. With another fingerprint, that
// is accepted only if the operator has said so.
func TestContinues(t *testing.T) {
	h := &host{program: Program{Name: "p", Class: "c", Fingerprint: []byte{1}}, options: &Options{Accept: "03"}}
	u := &upgrader{layout: 7}
	own := versionOf(&h.program, 7)
	for _, c := range []struct {
		change func(*version)
		want   string
	}{
		{func(*version) {}, ""},
		{func(v *version) { v.Build = "later" }, ""},
		{func(v *version) { v.Fingerprint = "03" }, "-accept 01"},
		{func(v *version) { v.Fingerprint = "02" }, "its program has fingerprint 02, this one 01"},
		{func(v *version) { v.Class = "d" }, "it is a d of program p, this is a c of p"},
		{func(v *version) { v.Layout = "8" }, "its snapshots have another layout, 8, and those of this one 0000000000000007"},
	} {
		v := own
		c.change(&v)
		accept, err := u.continues(h, v)
		got := strings.Join(accept, " ")
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: got %q, want %q", &v, got, c.want)
		}
	}
}

// A new binary takes the place of the old one, which stays beside it and can return.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	running, other := filepath.Join(dir, "peer"), filepath.Join(dir, "new")
	write := func(name, text string) {
		if err := disk.Write(disk.OS, name, 0o755, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	holds := func(name, want string) {
		t.Helper()
		if b, err := disk.OS.ReadFile(name); err != nil || string(b) != want {
			t.Errorf("%s holds %q, %v, want %q", filepath.Base(name), b, err, want)
		}
	}
	write(running, "old")
	write(other, "new")
	s := &successor{binary: running}
	if err := s.replace(filepath.Join(dir, "none")); err == nil {
		t.Error("a binary that there is not takes the place")
	}
	if err := s.replace(other); err != nil {
		t.Fatal(err)
	}
	holds(running, "new")
	holds(running+".previous", "old")
	if err := s.back(); err != nil {
		t.Fatal(err)
	}
	holds(running, "old")
	write(other, "old")
	same := &successor{binary: running}
	if err := same.replace(other); err != nil || same.previous != "" || same.back() != nil {
		t.Errorf("the same binary is replaced: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := ask(ctx, running, nil); err == nil || !strings.Contains(err.Error(), "does not say which version it is") {
		t.Errorf("a file that is no program: %v", err)
	}
}
