package generated

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/generated_test/fails"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// failsX returns n rows to divide.
func failsX(n int) *tensor.Tensor {
	x := make([]int64, n*16*64)
	for i := range x {
		x[i] = int64(i%1000) - 500
	}
	return tensor.Of(x, n, 16, 64)
}

// failsDivisors returns n rows of divisors that suit all layers. Layer i divides by the divisor minus i.
func failsDivisors(n int) []int64 {
	return slices.Repeat([]int64{100}, n*16*64)
}

// TestFailingNodes makes each node of a model fail that can: alone and in a chain, in a repeated block, in
// the first share of a loop and in the last, on one thread and on several. The error names the node, no
// output is written after the run has returned, and the next run is right.
func TestFailingNodes(t *testing.T) {
	defer cpu.SetThreads(0)
	m, err := fails.New()
	if err != nil {
		t.Fatal(err)
	}
	const n = 40
	x := tensor.Data[int64](failsX(n))
	var want fails.Outputs
	if err := m.Run(&fails.Inputs{N: n, X: x, D: failsDivisors(n), At: []int64{0, 63}}, &want); err != nil {
		t.Fatal(err)
	}
	for _, threads := range []int{1, 2, 4} {
		cpu.SetThreads(threads)
		for _, at := range []int{0, n*16*64 - 1, n * 8 * 64} {
			for layer := 0; layer < 14; layer += 4 {
				in := fails.Inputs{N: n, X: x, D: failsDivisors(n), At: []int64{0, 63}}
				in.D[at] = int64(layer)
				node := fmt.Sprintf(`"layer%d.quotient" (Div): integer division by zero`, layer)
				testFailing(t, m, in, want, node)
			}
		}
		in := fails.Inputs{N: n, X: x, D: failsDivisors(n), At: []int64{0, 64}}
		testFailing(t, m, in, want, `"y" (Gather): index 64 is out of range for an axis of size 64`)
	}
}

// testFailing makes a run fail at a node, and then runs the model without a failure.
func testFailing(t *testing.T, m *fails.Model, in fails.Inputs, want fails.Outputs, node string) {
	t.Helper()
	var out fails.Outputs
	err := m.Run(&in, &out)
	if err == nil || err.Error() != "fails: node "+node {
		t.Fatalf("got %v, want node %s", err, node)
	}
	if _, ok := errors.AsType[*cpu.Error](err); !ok {
		t.Fatalf("%v is no *cpu.Error", err)
	}
	for i := range out.Y { // with -race, a running writer is detected
		out.Y[i] = -1
	}
	good := fails.Inputs{N: in.N, X: in.X, D: failsDivisors(in.N), At: []int64{0, 63}}
	if err := m.Run(&good, &out); err != nil || !slices.Equal(out.Y, want.Y) {
		t.Fatalf("after a run that failed: %v", err)
	}
}
