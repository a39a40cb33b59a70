package fault

import (
	"errors"
	"runtime"
	"strings"
	"testing"
)

// recovered returns the result of Recovered for a panic of f, as generated code calls it.
//
//line model.bb.go:10
func recovered(f func(), sites ...Site) (err error) {
	defer func() { err = Recovered("m", recover(), sites...) }()
	f()
	return nil
}

//line fault_test.go:20

// TestRecovered makes a run panic in every possible way.
func TestRecovered(t *testing.T) {
	kernel := errors.New("Gather: index 3 is out of range")
	if err := recovered(func() { panic(kernel) }); !errors.Is(err, kernel) || err.Error() != "m: "+kernel.Error() {
		t.Errorf("got %v", err)
	}
	const at = " (model.bb.go:12)"
	var none []int
	err := recovered(func() { _ = none[len(none)] })
	if err == nil || err.Error() != "m: index out of range [0] with length 0"+at || !is[runtime.Error](err) {
		t.Errorf("got %v", err)
	}
	if err := recovered(func() { panic("BUG: told so") }); err == nil || err.Error() != "m: BUG: told so"+at {
		t.Errorf("got %v", err)
	}
}

// chain is a chain that fails at a line.
type chain int

// errZero is an error in the form of a kernel's, which begins with its name.
var errZero error = zeroError{}

type zeroError struct{}

func (zeroError) Error() string { return "Div: integer division by zero" }

// elsewhere is a panic that is re-raised from another thread.
type elsewhere struct {
	error
	stack []uintptr
}

func (e *elsewhere) Stack() []uintptr { return e.stack }
func (e *elsewhere) Unwrap() error    { return e.error }

// The lines below are those of a generated file: a run that calls two kernels and two repetitions of a block, which has a
// kernel and a chain.
//
//line graph.bb.go:10
func runGraph(at int, thread bool) {
	failIf(at == 11)
	blockGraph(at-100, thread)
	blockGraph(at-200, thread)
	failIf(at == 14)
}

//line graph.bb.go:20
func blockGraph(at int, thread bool) {
	failIf(at == 21)
	inParts(chain(at), thread)
}

//line graph.bb.go:30
func (at chain) part() {
	failIf(at == 31)
	failIf(at == 32)
}

//line fault_test.go:70
func failIf(fails bool) {
	if fails {
		panic(errZero)
	}
}

// inParts runs a part of a chain, in another thread if thread is set, and re-raises its panic.
func inParts(c chain, thread bool) {
	if !thread {
		c.part()
		return
	}
	caught := make(chan *elsewhere)
	go func() {
		defer func() {
			var e *elsewhere
			if r := recover(); r != nil {
				pc := make([]uintptr, 64)
				e = &elsewhere{r.(error), pc[:runtime.Callers(1, pc)]}
			}
			caught <- e
		}()
		c.part()
	}()
	if e := <-caught; e != nil {
		panic(e)
	}
}

// TestRecoveredNamesTheNode: each failing call is distinguished from the others, also in each repetition of a
// block and in a chain on another thread.
func TestRecoveredNamesTheNode(t *testing.T) {
	sites := []Site{
		{"first", "Div", "graph.bb.go:11"},
		{"block0.div", "Div", "graph.bb.go:21:12"},
		{"block0.chain0", "Div", "graph.bb.go:31:22:12"},
		{"block0.chain1", "Mod", "graph.bb.go:32:22:12"},
		{"block1.div", "Div", "graph.bb.go:21:13"},
		{"block1.chain0", "Div", "graph.bb.go:31:22:13"},
		{"block1.chain1", "Mod", "graph.bb.go:32:22:13"},
	}
	for at, want := range map[int]string{
		11:  `m: node "first" (Div): integer division by zero`,
		14:  `m: Div: integer division by zero`, // no site has it
		121: `m: node "block0.div" (Div): integer division by zero`,
		131: `m: node "block0.chain0" (Div): integer division by zero`,
		132: `m: node "block0.chain1" (Mod): Div: integer division by zero`,
		221: `m: node "block1.div" (Div): integer division by zero`,
		231: `m: node "block1.chain0" (Div): integer division by zero`,
		232: `m: node "block1.chain1" (Mod): Div: integer division by zero`,
	} {
		for _, thread := range []bool{false, true} {
			err := recovered(func() { runGraph(at, thread) }, sites...)
			if err == nil || err.Error() != want || !errors.Is(err, errZero) {
				t.Errorf("line %d, on another thread: %t: got %v, want %s", at, thread, err, want)
			}
			if IsData(err) != (at != 14) {
				t.Errorf("line %d: %v is an error of data: %t", at, err, IsData(err))
			}
		}
	}
}

// TestRecoveredTellsTheLine: an unexpected error is reported with its line.
func TestRecoveredTellsTheLine(t *testing.T) {
	err := recovered(func() { lineGraph(nil) })
	if err == nil || !strings.HasSuffix(err.Error(), "index out of range [0] with length 0 (graph.bb.go:151)") {
		t.Errorf("got %v", err)
	}
}

//line graph.bb.go:150
func lineGraph(x []int) int {
	return x[len(x)]
}
