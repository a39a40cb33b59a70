package run

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/runtime/model"
)

var testNodes = []model.ProfiledNode{
	{Name: "/fc/MatMul", Op: "FusedMatMul", Call: "MatMulPacked32"},
	{Name: "/Transpose", Op: "Transpose", Call: "Transpose"},
	{Name: "/loop/Step", Op: "Add", Call: "Add"},
	{Name: "/never", Op: "Add", Call: "Add"},
}

// ticker is a clock that advances by a nanosecond at each reading.
type ticker struct{ now time.Duration }

func (t *ticker) read() time.Duration {
	t.now++
	return t.now
}

// testRun simulates a run of a model with the given time for its product.
func testRun(t *ticker, product time.Duration) profiledRun {
	c := newCollector(len(testNodes), t.read)
	start := t.now
	step := func(node, flops, bytes int, took time.Duration) {
		c.Begin(node, flops, bytes)
		t.now += took
	}
	step(0, 9e6, 1e5, product)
	step(1, 0, 4e5, 45_000)
	for range 3 {
		step(2, 1000, 12000, 2_500)
	}
	c.End()
	t.now += 1_000 // copies an output
	total := t.now - start
	for _, n := range c.nodes {
		total -= time.Duration(n.times) * c.cost
	}
	return profiledRun{total: total, plain: 150_000, nodes: c.nodes}
}

// TestProfile compares the output with fixed numbers.
func TestProfile(t *testing.T) {
	golden.Run(t, "testdata/profile.txtar", func(t *testing.T, a *golden.Archive) {
		var clock ticker
		p := &profile{Name: "m", Level: "avx512", Threads: 1, Peak: peak{GFLOPS: 100, GBS: 10}}
		p.sum(testNodes, []profiledRun{testRun(&clock, 300_000), testRun(&clock, 100_000)})
		var table, top strings.Builder
		p.write(&table, 0)
		p.write(&top, 1)
		b, err := json.MarshalIndent(p, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		a.Check("table", table.String())
		a.Check("top", top.String())
		a.Check("json", string(b)+"\n")
	})
}

// TestCollector checks that the clock is read once for each node, and that this time is not counted.
func TestCollector(t *testing.T) {
	var clock ticker
	r := testRun(&clock, 100_000)
	want := []sample{{100_000, 1, 9e6, 1e5}, {45_000, 1, 0, 4e5}, {7_500, 3, 3000, 36000}, {}}
	for i, n := range r.nodes {
		if n != want[i] {
			t.Errorf("node %d: got %+v, want %+v", i, n, want[i])
		}
	}
	if want := time.Duration(100_000 + 45_000 + 7_500 + 1_000 + 1); r.total != want {
		t.Errorf("total: got %v, want %v", r.total, want)
	}
}
