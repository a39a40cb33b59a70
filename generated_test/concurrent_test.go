package generated

import (
	"slices"
	"sync"
	"testing"

	"github.com/bbgen/bbgen/generated_test/chain"
	"github.com/bbgen/bbgen/generated_test/transformer"
)

// TestConcurrent runs one model from several goroutines, on inputs of different sizes, of which some are
// invalid.
func TestConcurrent(t *testing.T) {
	m, err := transformer.New()
	if err != nil {
		t.Fatal(err)
	}
	var want transformer.Outputs
	if err := m.Run(&transformer.Inputs{Batch: 1, Seq: 3, Tokens: []int64{0, 1, 2}}, &want); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for k := range 8 {
		wg.Go(func() {
			var out transformer.Outputs
			for i := range 50 {
				in := transformer.Inputs{Batch: 1, Seq: 3, Tokens: []int64{0, 1, 2}}
				switch (i + k) % 4 {
				case 1:
					in.Seq, in.Tokens = 1, []int64{5}
				case 2:
					in.Batch = -1
				case 3:
					in.Tokens[2] = 1 << 40
				}
				err := m.Run(&in, &out)
				if wrong := (i+k)%4 >= 2; wrong != (err != nil) {
					t.Errorf("run %d of %d: %v", i, k, err)
				}
				if (i+k)%4 == 0 && !slices.Equal(want.Logits, out.Logits) {
					t.Errorf("run %d of %d differs", i, k)
				}
			}
		})
	}
	wg.Wait()
}

// TestChainAllocates runs chains on threads. They do not allocate once the buffers have grown.
func TestChainAllocates(t *testing.T) {
	m, err := chain.New()
	if err != nil {
		t.Fatal(err)
	}
	in := chain.Inputs{Batch: 40, X: make([]float32, 40*16*64), Mean: make([]float32, 40*16)}
	var out chain.Outputs
	run := func() {
		if err := m.Run(&in, &out); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 { // until there are enough buffers for all concurrent threads
		run()
	}
	if n := testing.AllocsPerRun(50, run); n > 0 {
		t.Errorf("%v allocations a run, want none", n)
	}
}
