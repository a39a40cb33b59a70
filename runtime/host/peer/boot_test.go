package peer

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// booting returns a program that doubles what it is told, when its bootstrap has been given a and b.
func booting() Program {
	body := func() runtime.Body { return &doubler{} }
	input := func(name string) runtime.Cut { return runtime.Cut{Kind: runtime.InputCut, Name: name} }
	module := func(name, in string, boots bool) runtime.Module {
		return runtime.Module{Name: name, New: body, Bootstrap: boots, Inputs: []int{0}, Cuts: []runtime.Cut{input(in)}, Blocks: []runtime.Block{{Name: name, Wait: 1, Ops: 1}}}
	}
	return Program{Name: "test", Class: "x", Transport: newQuietTransport, Partition: func(runtime.Env) (*runtime.Partition, error) {
		return &runtime.Partition{Class: "x", Modules: []runtime.Module{module("boot_a", "a", true), module("boot_b", "b", true), module("double", "x", false)}}, nil
	}}
}

// number returns the only element of an output.
func number(out map[string]tensor.Value) float32 {
	if y, ok := out["y"].(*tensor.Tensor); ok && y.Len() == 1 {
		return tensor.Data[float32](y)[0]
	}
	return -1
}

// TestBoots: calls wait until the program runs, that is until its bootstraps have got their inputs; those are not
// held up. Later the bootstrap may run again, alone or all of it, with a call that waits for it.
func TestBoots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x, err := Start(t.Context(), booting(), "-log", "none")
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		early := make(chan float32)
		go func() {
			out, err := x.Invoke(t.Context(), "double", one("x", 3))
			if err != nil {
				t.Error(err)
			}
			early <- number(out)
		}()
		pass(time.Minute)
		late, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := x.Ready(late); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "the program has not begun") {
			t.Errorf("it is ready without its inputs: %v", err)
		}
		if _, err := x.Bootstrap(late, nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a bootstrap before the first one: %v", err)
		}
		for module, in := range map[string]string{"boot_a": "a", "boot_b": "b"} {
			select {
			case y := <-early:
				t.Fatalf("a call gets %v before the program runs", y)
			default:
			}
			if _, err := x.Invoke(t.Context(), module, one(in, 1)); err != nil {
				t.Errorf("%s: %v", module, err)
			}
		}
		if y := <-early; y != 6 {
			t.Errorf("the early call gets %v, want 6", y)
		}
		if err := x.Ready(t.Context()); err != nil {
			t.Error(err)
		}

		both := one("a", 5)
		both["b"] = one("b", 7)["b"]
		if out, err := x.Bootstrap(t.Context(), both); err != nil || number(out) != 14 {
			t.Errorf("all bootstraps give %v, %v, want the 14 of the last", out, err)
		}
		if out, err := x.Bootstrap(t.Context(), both, "boot_a"); err != nil || number(out) != 10 {
			t.Errorf("the first bootstrap gives %v, %v, want 10", out, err)
		}
		if _, err := x.Bootstrap(t.Context(), one("a", 5)); err == nil || !strings.Contains(err.Error(), "boot_b: input b is missing") {
			t.Errorf("a bootstrap without an input: %v", err)
		}
		if _, err := x.Bootstrap(t.Context(), both, "double"); err == nil || !strings.Contains(err.Error(), "there are: boot_a, boot_b") {
			t.Errorf("a module that is no bootstrap: %v", err)
		}
		if out, err := x.Invoke(t.Context(), "double", one("x", 4)); err != nil || number(out) != 8 {
			t.Errorf("a call after the bootstraps gets %v, %v", out, err)
		}
	})
}

// TestBootsOneAtATime: a bootstrap that runs again keeps others and calls waiting, until their contexts end.
func TestBootsOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x, err := Start(t.Context(), doubling(), "-log", "none", "-grace", "1ms")
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		end, err := x.boot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		enough := errors.New("enough")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, enough)
		defer cancel()
		if _, err := x.Bootstrap(ctx, nil); !errors.Is(err, enough) {
			t.Errorf("a second bootstrap: %v, want %v", err, enough)
		}
		end()
		if _, err := x.Bootstrap(t.Context(), nil); err != nil {
			t.Error(err)
		}
	})
}

// TestEndsBeforeReady: callers that wait for a program to begin hear that the peer has ended.
func TestEndsBeforeReady(t *testing.T) {
	x, err := Start(t.Context(), booting(), "-log", "none")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- x.Ready(context.Background()) }()
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, ErrStopped) {
		t.Errorf("got %v, want %v", err, ErrStopped)
	}
	if _, err := x.Invoke(t.Context(), "double", one("x", 1)); !errors.Is(err, ErrStopped) {
		t.Errorf("a call: %v", err)
	}
	if _, err := x.Bootstrap(t.Context(), nil); !errors.Is(err, ErrStopped) {
		t.Errorf("a bootstrap: %v", err)
	}
}

// TestEndsWithContext: a peer in a program ends in an orderly way with the context of its start.
func TestEndsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	x, err := Start(ctx, doubling(), "-log", "none")
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := x.Wait(); err != nil {
		t.Errorf("it ends with %v", err)
	}
}
