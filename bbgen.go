package bbgen

import (
	"slices"

	"github.com/bbgen/bbgen/codegen"
	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/ir/recompute"
	"github.com/bbgen/bbgen/ir/train"
	"github.com/bbgen/bbgen/partitioner"
)

// Config says what is made of a module, and how. The zero value makes the package
// "model", which computes what the module says.
type Config struct {
	Source  string // the base name of the file that the module comes from, which generated files name
	Package string // the package's name; "" is model

	// Import is the import path of the folder that the files are for, and has
	// programs made for it. A package that has a name stands in the folder itself
	// then, and its program in cmd/NAME; one without stands below it. "" makes
	// packages alone, which is all that there is of a program for several peers.
	Import string
	Verbs  codegen.Verbs // what a model's program can do beside the usual
	Hosts  []string      // packages below runtime/host: the one that runs a trainer, or those that peers talk over, the usual one first

	Bind         map[string]int // symbolic dimensions of inputs, to fix
	pass.Options                // how to choose between ways to compute the same

	Train *train.Options // how the model is trained; nil: it is not
	Cut   *Cut           // how it becomes several peers; nil: one computes it all

	Sidecar bool           // weights stay in a file beside the binary; more than [MaxEmbedded] always do
	Golden  []codegen.File // inputs and outputs for the package's test

	Until string            // the stage to stop after, one of [Stages]; "" is the last
	Done  func(name string) // told the name of each stage as it ends; nil if nobody listens

	// Watch is shown each graph as a stage leaves it, and must not change it; nil if
	// nobody looks.
	Watch func(stage string, m *ir.Module)
}

// Cut says how a module becomes several peers.
type Cut struct {
	Split   *partitioner.SplitOptions        // how a plain model is cut; nil: the program says itself which peer does what
	Dir     string                           // where the author's Go types and model files are looked for
	Joins   [][]string                       // classes that one peer runs together: a program for each
	Unbound bool                             // nobody looks for what is bound to slots: the program cannot be planned or printed
	Check   func(*partitioner.Program) error // asked before code is made; nil: nobody asks
}

// Result is what a compilation has made, as far as it went.
type Result struct {
	Files   []codegen.File       // relative to the folder that they are for
	Modules []*ir.Module         // the graph; or the step, the evaluation and the forward pass of a trainer
	Plan    *plan.Plan           // of a model
	Trainer *codegen.Trainer     // of a model that is trained
	Program *partitioner.Program // for several peers
	Peers   []*peerplan.Plan     // of the program: what peers of each class keep
	Report
}

// Report is what was decided on the way.
type Report struct {
	pass.Report
	Stages     *partitioner.Stages // how a plain model was split, if it was
	Recomputed *recompute.Report   // what a limit of memory cost, if there was one
}

// MaxEmbedded is how many bytes of weights go into a binary; more stay in a file
// beside it.
const MaxEmbedded = 1 << 30

// Compile takes a module through the [Stages]. It rewrites m. The result is nil
// where an error is not.
func Compile(m *ir.Module, c Config) (*Result, error) {
	w := &compilation{Config: c, Result: &Result{Modules: []*ir.Module{m}}}
	if err := w.run(); err != nil {
		return nil, err
	}
	return w.Result, nil
}

// Stages returns the names of all stages that there are, in order. A compilation goes
// through those that concern it.
func Stages() []string {
	var names []string
	for _, s := range stages() {
		names = append(names, s.names...)
	}
	return slices.Clip(names)
}
