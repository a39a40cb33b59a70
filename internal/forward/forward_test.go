package forward_test

import (
	"fmt"
	"testing"

	"github.com/bbgen/bbgen/internal/forward"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// table is every case.
func table(t *testing.T) []*forward.Case {
	t.Helper()
	cases, err := forward.Table()
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

// TestEvaluator evaluates every case in each of its forms, at every level of the
// processor, with one thread and with four.
func TestEvaluator(t *testing.T) {
	atEnd(t)
	for _, c := range table(t) {
		for _, f := range c.Forms() {
			if lacking(c) {
				continue
			}
			if err := evaluate(f, c); err != nil {
				t.Errorf("%s: %v: %v\n%.200s", c.Place, f, err, c.Text)
				break
			}
		}
	}
}

// TestWords wants what a case says of itself to be so: that it compiles in no
// other form.
func TestWords(t *testing.T) {
	atEnd(t)
	for _, c := range table(t) {
		if c.Constant && evaluate(forward.Fed, c) == nil {
			t.Errorf("%s: runs with inputs, not only with constants\n%.200s", c.Place, c.Text)
		}
		if c.Static && evaluate(forward.Symbolic, c) == nil {
			t.Errorf("%s: runs with unknown sizes, not only static ones\n%.200s", c.Place, c.Text)
		}
	}
}

// lacking reports whether the evaluator has no kernel for a case: between types
// of which one is rare. Generated code runs it.
func lacking(c *forward.Case) bool {
	if c.Op != "BitCast" {
		return false
	}
	rare := func(d tensor.DType) bool { return d.IsComplex() || d.Bits() <= 8 && d.IsFloat() }
	return rare(c.In[0].(*tensor.Tensor).DType) || rare(c.Out[0].(*tensor.Tensor).DType)
}

// atEnd has the kernels run as they did when the test ends.
func atEnd(t *testing.T) {
	level, threads := cpu.CurrentLevel(), cpu.Threads()
	t.Cleanup(func() {
		cpu.SetLevel(level)
		cpu.SetThreads(threads)
	})
}

// evaluate runs one form of a case everywhere.
func evaluate(f forward.Form, c *forward.Case) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	cpu.SetLevel(cpu.Portable)
	m, in := forward.Module(f, c)
	if err := pass.Run(m, pass.Pipeline, nil); err != nil {
		return err
	}
	for _, level := range cpu.Levels() {
		for _, threads := range []int{1, 4} {
			cpu.SetLevel(level)
			cpu.SetThreads(threads)
			out, err := eval.Run(m.Main, in)
			if err != nil {
				return fmt.Errorf("%v, %d threads: %w", level, threads, err)
			}
			if err := agree(out, c); err != nil {
				return fmt.Errorf("%v, %d threads: %w", level, threads, err)
			}
		}
	}
	return nil
}

// agree compares the outputs of cases with what they want.
func agree(got []tensor.Value, c *forward.Case) error {
	for i, want := range forward.Wanted(c) {
		if err := c.Compare(got[i], want); err != nil {
			return fmt.Errorf("output %d: %w", i, err)
		}
	}
	return nil
}
