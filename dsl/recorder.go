package dsl

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// recorder holds the state that the modules of a program share while they are recorded.
type recorder struct {
	m     *ir.Module
	errs  Errors
	roots []*function
	sends []*sending
	ports []string // names of collectives' edges, each prefixed with its class
	slots []*slot
	funcs map[string]bool   // names of functions
	alias map[string]string // the author's name of a symbol
	long  map[string]string // long form of each short position
	over  bool              // stop recording, as it would never end
	steps int               // how often the author has called the graph
}

// function is a module being recorded.
type function struct {
	r      *recorder
	f      *ir.Func
	call   *ir.Node // the call of the function
	class  string   // class that runs it
	args   Args     // arguments of the call; nil for a root
	module Module

	prepared Module         // the module with named slots; nil for a root
	caller   *function      // nil for a root
	called   []Bootstrapped // modules with a Bootstrap that a root calls, each once
	from     string         // the line of the call
	inputs   []*input
	outputs  []output
	rounds   []*Rounds
	syms     map[string]string // symbols by the author's name
	phase    string            // "bootstrap", or ""
	branch   *branch           // the branch being recorded, or nil
	plain    bool              // this is a whole model, not a module
	weights  map[string]Value  // the weights of a plain model by name

	forwards map[*slot]*forward // the last Forward of each slot
}

// output is an output of a module.
type output struct {
	name string
	Value
}

// fail reports a mistake at the line that is being recorded.
func (r *recorder) fail(format string, args ...any) Value { return r.failAt(r.at(), format, args...) }

func (r *recorder) failAt(p pos, format string, args ...any) Value {
	r.errs = append(r.errs, &Error{p.long, fmt.Sprintf(format, args...)})
	return Value{&value{bad: true}}
}

// at returns the author's position, and keeps its long form for messages. It is called for everything that the
// author records.
func (r *recorder) at() pos {
	p := here()
	r.step(p)
	r.long[p.short] = p.long
	return p
}

// funcName returns a name that no other function has: modules of several classes may be of one type.
func (r *recorder) funcName(base string) string {
	name := base
	for i := 2; r.funcs[name]; i++ {
		name = fmt.Sprint(base, "_", i)
	}
	r.funcs[name] = true
	return name
}

func newRecorder(name string) *recorder {
	return &recorder{
		m: &ir.Module{
			Name:   name,
			Opsets: map[string]int{},
			Main:   &ir.Func{Name: "main", Body: &ir.Region{}},
		},
		funcs: map[string]bool{},
		alias: map[string]string{},
		long:  map[string]string{},
	}
}
