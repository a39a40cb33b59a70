package randomprogram

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/partitioner"
	"github.com/bbgen/bbgen/partitioner/interpret"
)

// Failure is a program that shows a fault of the compiler.
type Failure struct {
	Program Program
	Stage   Stage
	Err     error
}

// Stage is what found a failure.
type Stage string

// The stages.
const (
	Recording Stage = "record"   // package dsl panics, or refuses a step without its line
	Encoding  Stage = "encode"   // the record cannot be written and read
	Passing   Stage = "passes"   // a pass fails without the author's line
	Cutting   Stage = "cut"      // the partitioner panics
	Running   Stage = "run"      // blocks do not run, or run twice
	Evaluated Stage = "evaluate" // the outputs are not those of the program before it was cut
	Printing  Stage = "print"    // no code is generated, or it does not compile
)

// Error returns the seed, the stage, what failed there, and the program.
func (f *Failure) Error() string {
	return fmt.Sprintf("seed %d: %s: %v\n%s", f.Program.Seed, f.Stage, f.Err, f.Program)
}

// refused is an error with which the compiler rejects a program, as it may.
type refused struct{ error }

// compiled is a program in all its forms.
type compiled struct {
	recorded *ir.Module
	cut      *partitioner.Program
}

// compile compiles a program. The error is a [Failure], or refused.
func compile(p Program) (*compiled, error) {
	fail := func(s Stage, err error) (*compiled, error) { return nil, &Failure{p, s, err} }
	m, err := p.Record()
	if err != nil {
		if err := placed(err); err != nil {
			return fail(Recording, err)
		}
		return nil, refused{err}
	}
	c := &compiled{recorded: m.Clone()}
	var again *ir.Module
	if err := guarded(func() (err error) { again, err = copied(m); return err }); err != nil {
		return fail(Encoding, err)
	}
	var isPanic *panicked
	err = guarded(func() error { return pass.Run(again, pass.Pipeline, nil) })
	switch {
	case errors.As(err, &isPanic) || err != nil && !strings.Contains(err.Error(), ".go:"):
		return fail(Passing, fmt.Errorf("%w\n%s", err, ir.Print(m)))
	case err != nil: // what only folding shows, with the author's line
		return nil, refused{err}
	}
	err = guarded(func() (err error) {
		c.cut, err = partitioner.Make(again, partitioner.Options{Unbound: true, Command: isCommand})
		return err
	})
	switch {
	case errors.As(err, &isPanic):
		return fail(Cutting, fmt.Errorf("%w\n%s", err, ir.Print(m)))
	case err != nil:
		return nil, refused{err}
	}
	return c, nil
}

// copied writes a module as ONNX, and reads that.
func copied(m *ir.Module) (*ir.Module, error) {
	b, err := onnx.Encode(m)
	if err != nil {
		return nil, err
	}
	return onnx.Decode("random.onnx", b, nil)
}

// placed returns nil if err is the author's mistakes, each with a line of this package, where the author is.
func placed(err error) error {
	var list dsl.Errors
	if !errors.As(err, &list) {
		return err
	}
	for _, e := range list {
		file, _, _ := strings.Cut(filepath.Base(e.Pos), ":")
		if !slices.Contains([]string{"program.go", "words.go", "compute.go", "any.go"}, file) {
			return fmt.Errorf("at %q, want the author's line: %w", e.Pos, e)
		}
		if strings.Contains(e.Msg, "panic:") || strings.Contains(e.Msg, "BUG:") {
			return e
		}
	}
	return nil
}

// guarded runs f and converts a panic to an error.
func guarded(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &panicked{r, string(debug.Stack())}
		}
	}()
	return f()
}

// schedules is the number of orders of events that a program is played in.
const schedules = 6

// Check compiles a program and plays it. It returns the number of outputs that were compared with the evaluator's. With a
// typechecker, it generates code as well.
func Check(p Program, t *Typechecker) (compared int, f *Failure) {
	c, err := compile(p)
	if err != nil {
		errors.As(err, &f)
		return 0, f
	}
	fail := func(s Stage, format string, args ...any) (int, *Failure) {
		err := fmt.Errorf(format, args...)
		return 0, &Failure{p, s, fmt.Errorf("%w\n%s\n%s", err, ir.Print(c.recorded), partitioner.Print(c.cut))}
	}
	if t != nil {
		err := guarded(func() error { return t.check(c.cut) })
		switch {
		case errors.Is(err, peerplan.ErrCannotKeep) && strings.Contains(err.Error(), ".go:"): // the author may use such a value in a computation
			return 0, nil
		case err != nil && !errors.Is(err, errNoStub):
			return fail(Printing, "%w", err)
		}
	}
	for _, betas := range playedWith(p.Betas) {
		n, err := c.play(betas)
		compared += n
		if err != nil {
			return fail(stageOf(err), "with %d peers of class beta: %w", betas, err)
		}
	}
	return compared, nil
}

// playedWith returns how many peers of class beta a program is played with: also one, as then all blocks run.
func playedWith(betas int) []int { return slices.Compact([]int{1, betas}) }

// differs is an error of outputs that are not those of the program before it was cut.
type differs struct{ error }

// stageOf returns what has found an error of [compiled.play].
func stageOf(err error) Stage {
	if errors.As(err, &differs{}) {
		return Evaluated
	}
	return Running
}

// play runs the cut program in several orders of events, and returns the number of outputs that are those of the program
// before it was cut.
func (c *compiled) play(betas int) (compared int, err error) {
	counts := map[string]int{"alpha": 1, "beta": betas}
	want, mayFail, err := expected(c.recorded.Clone(), interpret.New(c.cut, 0, counts).Peers)
	if err != nil {
		return 0, differs{err}
	}
	for seed := range uint64(schedules) {
		s := interpret.New(c.cut, seed, counts)
		err := guarded(func() error { return s.Run(s.Peers.Inputs(c.cut)) })
		switch {
		case mayFail && errors.Is(err, interpret.ErrKernel):
			return compared / schedules, nil // as it does without a cut
		case betas > 1 && errors.Is(err, interpret.ErrWaiting):
		case err != nil:
			return 0, err
		}
		n, wrong := compare(given(s.Emitted), want, err != nil)
		if wrong != nil {
			return 0, differs{fmt.Errorf("order %d: %w", seed, wrong)}
		}
		compared += n
	}
	return compared / schedules, nil
}

// compare compares outputs, and returns their number. If a block still waits, some may be missing.
func compare(got map[string][]string, want map[string]output, waiting bool) (compared int, err error) {
	for key, o := range want {
		missing := func(value string) bool { return !slices.Contains(got[key], value) }
		switch {
		case got[key] == nil && !o.must:
		case waiting && slices.Equal(got[key], slices.DeleteFunc(slices.Clone(o.values), missing)):
		case !slices.Equal(got[key], o.values):
			return 0, fmt.Errorf("%s: got %.300q, want %.300q", key, got[key], o.values)
		default:
			compared++
		}
	}
	return compared, nil
}

// expected evaluates a program before it is cut. MayFail reports whether a kernel may fail.
func expected(m *ir.Module, peers interpret.Peers) (want map[string]output, mayFail bool, err error) {
	err = guarded(func() error {
		e, err := uncut(m, peers)
		if err == nil {
			want, mayFail = e.outputs(), e.mayFail()
		}
		return err
	})
	return want, mayFail, err
}

// uncut returns an evaluator of a program before it is cut.
func uncut(m *ir.Module, peers interpret.Peers) (*evaluator, error) {
	if err := pass.Run(m, pass.Until(pass.Pipeline, pass.Expand.Name), nil); err != nil {
		return nil, err
	}
	return newEvaluator(m, peers), nil
}
