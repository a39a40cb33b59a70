package main

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"
)

// A figure is the median, and is compared with its bar.
func TestAdd(t *testing.T) {
	for bar, want := range map[float64]bool{2: true, 1.5: false} {
		var out bytes.Buffer
		b := bench{out: json.NewEncoder(&out)}
		if err := b.add(&row{Bar: bar}, []time.Duration{3000, 1000, 2000}); err != nil {
			t.Fatal(err)
		}
		var got row
		if err := json.Unmarshal(out.Bytes(), &got); err != nil || got.Value != 2 || got.Best != 1 || got.Met != want {
			t.Errorf("got %s, want a median of 2, a best of 1, and met: %v", &out, want)
		}
	}
}

// Both calls are timed in each round; the first round only warms up.
func TestInTurn(t *testing.T) {
	b := bench{rounds: 2}
	there, here := 0, 0
	x, y, err := b.inTurn(func() error { there++; return nil }, func() error { here++; return nil })
	if err != nil || there != 3 || here != 3 || len(x) != 2 || len(y) != 2 {
		t.Errorf("%d and %d calls, of which %d and %d are timed (%v), want 3 and 2 of each", there, here, len(x), len(y), err)
	}
}

// Sizes that vary are 1.
func TestInputs(t *testing.T) {
	in, err := inputs("../../../examples/digits/digits.onnx")
	if err != nil || len(in) != 1 || in[0].Len() != 28*28 {
		t.Errorf("got %v (%v), want one image", in, err)
	}
}
