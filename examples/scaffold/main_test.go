package main

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"
)

// The last line shows that federated averaging converges far from the best model, and SCAFFOLD does not.
func TestRun(t *testing.T) {
	var out bytes.Buffer
	if err := run(&out, ""); err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
	var r struct{ Fedavg, Scaffold float64 }
	if err := json.Unmarshal(lines[len(lines)-1], &r); err != nil {
		t.Fatal(err)
	}
	if r.Fedavg < 20 || r.Scaffold > 1e-4 {
		t.Errorf("%+v, want the average at least 20 off, SCAFFOLD at most 0.0001", r)
	}
}

// The distance of federated averaging from the optimum is proportional to the difference of the clients. From
// a model x, ten steps at a rate of 0.05 lead the first client to q·(x+G/2)-G/2 with q = 0.9¹⁰, and the
// second to x+G/2. Lost messages and crashes do not change that.
func TestStalls(t *testing.T) {
	q := math.Pow(0.9, 10)
	for _, g := range differences {
		for _, chaos := range []string{"", "loss=10%,faults=6"} {
			off, err := federation(g, chaos)
			if err != nil {
				t.Fatal(err)
			}
			n := len(off["fedavg"])
			rest := g / 4 * q / (0.5 - q/2)
			if at, before := off["fedavg"][n-1], off["fedavg"][n-10]; math.Abs(at/rest-1) > 1e-3 || math.Abs(before/at-1) > 1e-3 {
				t.Errorf("G %v, %q: the average is off by %v, ten rounds before by %v, want %v", g, chaos, at, before, rest)
			}
			if at := off["scaffold"][n-1]; at > 1e-4 {
				t.Errorf("G %v, %q: SCAFFOLD is off by %v, want 0", g, chaos, at)
			}
		}
	}
}
