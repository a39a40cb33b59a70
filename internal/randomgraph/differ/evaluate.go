package differ

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// panicked is a panic as an error.
type panicked struct {
	value any
	stack string
}

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v\n%s", p.value, p.stack) }

// guarded runs f and converts a panic to an error.
func guarded(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &panicked{r, inner(string(debug.Stack()))}
		}
	}()
	return f()
}

// inner returns the useful part of a stack: the innermost calls that led to the panic.
func inner(stack string) string {
	_, after, _ := strings.Cut(stack, "panic(")
	lines := strings.Split(after, "\n")
	if len(lines) > 2 {
		lines = lines[2:]
	}
	return strings.Join(lines[:min(len(lines), 8)], "\n")
}

// isPanic reports whether err is a panic that is a fault of bbgen. A division by zero is not, because kernels
// leave it to Go.
func isPanic(err error) bool {
	var p *panicked
	return errors.As(err, &p) && !strings.Contains(fmt.Sprint(p.value), "divide by zero")
}

// prepared returns a module after the given passes.
func prepared(m *ir.Module, passes []*pass.Pass) (*ir.Module, error) {
	c := m.Clone()
	return c, guarded(func() error { return pass.Run(c, passes, nil) })
}

// plain returns a module that computes the original graph, operator by operator.
func plain(m *ir.Module) (*ir.Module, error) {
	return prepared(m, pass.Until(pass.Pipeline, pass.Expand.Name))
}

// evaluate runs a module.
func evaluate(m *ir.Module, in []tensor.Value) (out []tensor.Value, err error) {
	err = guarded(func() error {
		var err error
		out, err = eval.Run(m.Main, in)
		return err
	})
	return out, err
}
