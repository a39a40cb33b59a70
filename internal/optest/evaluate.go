package optest

import (
	"fmt"
	"testing"

	"github.com/bbgen/bbgen/internal/forward"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// evaluated evaluates every case in each of its forms, at every level of the
// processor, with one thread and with four.
func evaluated(f *family, errorf errorf) {
	for _, c := range f.forward {
		if lacking(c) {
			continue
		}
		for _, form := range c.Forms() {
			if err := evaluate(form, c); err != nil {
				errorf("%s: %v: %v\n%.200s", c.Place, form, err, c.Text)
				break
			}
		}
	}
}

// words checks the words of a case about itself: that it does not compile in other forms.
func words(f *family, errorf errorf) {
	for _, c := range f.forward {
		if c.Constant && evaluate(forward.Fed, c) == nil {
			errorf("%s: runs with inputs, not only with constants\n%.200s", c.Place, c.Text)
		}
		if c.Static && evaluate(forward.Symbolic, c) == nil {
			errorf("%s: runs with unknown sizes, not only static ones\n%.200s", c.Place, c.Text)
		}
	}
}

// lacking reports whether the evaluator has no kernel for a case, because one of its types is rare. Generated
// code can run it.
func lacking(c *forward.Case) bool {
	if c.Op != "BitCast" {
		return false
	}
	rare := func(d tensor.DType) bool { return d.IsComplex() || d.Bits() <= 8 && d.IsFloat() }
	return rare(c.In[0].(*tensor.Tensor).DType) || rare(c.Out[0].(*tensor.Tensor).DType)
}

// atEnd restores the level and the threads of kernels when the test ends.
func atEnd(t *testing.T) {
	level, threads := cpu.CurrentLevel(), cpu.Threads()
	t.Cleanup(func() {
		cpu.SetLevel(level)
		cpu.SetThreads(threads)
	})
}

// evaluate runs one form of a case at all levels and with different threads.
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
	if err := costs(m); err != nil {
		return err
	}
	return everywhere(func() error {
		out, err := eval.Run(m.Main, in)
		if err != nil {
			return err
		}
		return agree(out, c)
	})
}

// everywhere runs f at every level of the processor, with one thread and with four.
func everywhere(f func() error) error {
	for _, level := range cpu.Levels() {
		for _, threads := range []int{1, 4} {
			cpu.SetLevel(level)
			cpu.SetThreads(threads)
			if err := f(); err != nil {
				return fmt.Errorf("%v, %d threads: %w", level, threads, err)
			}
		}
	}
	return nil
}

// agree compares the outputs of a case with the wanted ones.
func agree(got []tensor.Value, c *forward.Case) error {
	for i, want := range forward.Wanted(c) {
		if err := c.Compare(got[i], want); err != nil {
			return fmt.Errorf("output %d: %w", i, err)
		}
	}
	return nil
}
