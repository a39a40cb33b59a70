package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/tensor"
)

func TestRun(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	if want := "[1, 2, 3]: {\"mean\":2}\n[10]: {\"mean\":10}\n[-1, 1]: {\"mean\":0}\n{\"answers\":3}\n"; out.String() != want {
		t.Errorf("got %s, want %s", &out, want)
	}
}

// numbers are the inputs of one call.
func numbers(v ...float32) map[string]tensor.Value {
	return map[string]tensor.Value{"numbers": tensor.Of(v, len(v))}
}

// TestMany calls the front from many goroutines at once: each gets its own answer.
func TestMany(t *testing.T) {
	f, wk, err := start(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer wk.Close()
	defer f.Close()
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			want := float32(i)
			out, err := f.Invoke(t.Context(), "front", numbers(want-1, want+1))
			if err != nil {
				t.Error(err)
				return
			}
			if got := tensor.Data[float32](out["mean"].(*tensor.Tensor)); got[0] != want {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
	all.Wait()
}

// TestMistakes shows the errors of invalid calls.
func TestMistakes(t *testing.T) {
	f, wk, err := start(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer wk.Close()
	defer f.Close()
	if err := f.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := wk.Close(); err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx    context.Context
		module string
		inputs map[string]tensor.Value
		want   string
	}{
		{t.Context(), "back", nil, "invoke back: there is no such module; there are: front with numbers"},
		{t.Context(), "front", nil, "invoke front: input numbers is missing"},
		{t.Context(), "front", map[string]tensor.Value{"numbers": tensor.Of([]float32{1}, 1), "x": tensor.Of([]float32{1}, 1)}, "invoke front: 2 inputs are given, want 1: [numbers]"},
		{t.Context(), "front", map[string]tensor.Value{"numbers": tensor.Of([]int64{1}, 1)}, "invoke front: "},
		{gone, "front", numbers(1), "invoke front: context canceled; execution "},
	} {
		_, err := f.Invoke(c.ctx, c.module, c.inputs)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("got %v, want %s…", err, c.want)
		}
	}
	f.Close()
	if _, err := f.Invoke(t.Context(), "front", numbers(1)); !errors.Is(err, peer.ErrStopped) {
		t.Errorf("after its end: %v, want %v", err, peer.ErrStopped)
	}
}
