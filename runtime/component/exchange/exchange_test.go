package exchange

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// peers double each value that they take, until they fail.
func peers(e Exchange, rounds int, why error) {
	for range rounds {
		x, _, err := e.Take(context.Background(), 0)
		if err != nil {
			return
		}
		for i := range x.Data {
			x.Data[i] *= 2
		}
		e.Give(x)
	}
	e.End(why)
}

// Results stand in the place of values, one after the other. Who waits when the peers
// fail is told why, and so is who comes later.
func TestSum(t *testing.T) {
	e, why := New(), errors.New("two are gone")
	go peers(e, 2, why)
	x := []float32{1, 2}
	for range 2 {
		if err := e.Sum(x); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(x, []float32{4, 8}) {
		t.Errorf("got %v, want 4 and 8", x)
	}
	for range 2 {
		if err := e.Sum(x); !errors.Is(err, why) {
			t.Errorf("got %v, want %v", err, why)
		}
	}
}

// A peer that waits for a value goes on when the program has no more, or has failed, or
// when its command ends.
func TestEnd(t *testing.T) {
	e := New()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := e.Take(ctx, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	e.End(nil)
	e.End(errors.New("later"))
	x, last, err := e.Take(t.Context(), 0)
	if !last || err != nil || len(x.Data) != 1 {
		t.Errorf("got %v, %v, %v, want the last", x.Data, last, err)
	}
	if err := e.Give(x); err != nil {
		t.Error(err)
	}
	if err := e.Sum(make([]float32, 1)); !errors.Is(err, errEnded) {
		t.Errorf("got %v, want %v", err, errEnded)
	}
	why := errors.New("no disk")
	failed := New()
	failed.End(why)
	if _, _, err := failed.Take(t.Context(), 0); !errors.Is(err, why) {
		t.Errorf("got %v, want %v", err, why)
	}
	var nobody Exchange
	if _, _, err := nobody.Take(t.Context(), 0); !errors.Is(err, errNobody) {
		t.Errorf("got %v, want %v", err, errNobody)
	}
}
