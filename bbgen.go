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

// Config configures a compilation. The zero value generates the package "model", which computes the module.
type Config struct {
	Source  string // the base name of the module's file, which generated files mention
	Package string // the package's name; "" is "model"

	// Import is the import path of the output directory. If it is set, programs are generated, too. A package
	// with a name is then at the root and its program in cmd/NAME; a package without a name is in model and its
	// program at the root. If Import is "", only packages are generated, for a distributed program as well.
	Import string
	Verbs  codegen.Verbs // optional commands of a model's program
	Hosts  []string      // packages below runtime/host: the trainer's host, or the networks of a peer, the default first

	// Bind has sizes for symbolic dimensions of inputs. If a program is bound, each model in a slot is bound to the sizes that
	// all calls on it then have, whatever the model calls them.
	Bind         map[string]int
	pass.Options // how to choose between kernels that compute the same

	// Train configures how the model is trained; nil is for inference only. A model that is also split becomes the
	// stages of a pipeline, each with a trainer of its own; with an Import there is one program for all of them.
	Train *train.Options
	Cut   *Cut // how the module is divided among peers, or nil for a single process

	// Sidecar keeps the weights of a model for inference in a file beside the binary; above [MaxEmbedded] bytes that is always
	// so. It says nothing of trainers and of programs, with the models in their slots: they embed weights, which are only the
	// values to begin with. What they have learned is in snapshots, so that a file beside them would be one of two.
	Sidecar bool
	Golden  []codegen.File // inputs and expected outputs for the package's test

	Until string // the last stage to run, one of [Config.StageNames]; "" runs all

	// Done, if not nil, is called with the name of each finished stage. The stages of a part that is compiled by itself, a
	// model in a slot or a stage of a pipeline, have its name before theirs, as in "stage0: fuse".
	Done func(name string)

	// Watch, if not nil, is called at the end of each stage, with its name, as for Done, and each graph. It must not change
	// the graph.
	Watch func(stage string, m *ir.Module)
}

// Cut configures how a module is divided among peers.
type Cut struct {
	Split   *partitioner.SplitOptions        // how a plain model is divided into stages; nil if the program itself names the classes
	Dir     string                           // the directory of the author's Go types and model files
	Joins   [][]string                       // sets of classes that one peer runs together; each gets a program
	Unbound bool                             // do not load the components bound to slots; the result cannot be planned or printed
	Check   func(*partitioner.Program) error // if not nil, called before code is generated
}

// Result is the result of a compilation, as far as it ran.
type Result struct {
	Files   []codegen.File       // paths relative to the output directory
	Modules []*ir.Module         // the graph; or a trainer's step and evaluation, and where it has them update and forward pass
	Plan    *plan.Plan           // of a model for inference
	Trainer *codegen.Trainer     // of a trained model
	Program *partitioner.Program // of a distributed program
	Peers   []*peerplan.Plan     // what the peers of each class of the program keep
	Parts   []*Result            // of the stages of a pipeline, each a trained model
	Report

	bound string // the components in the slots of a program, as text
}

// Report holds decisions of the compilation that are worth showing.
type Report struct {
	pass.Report
	Stages     *partitioner.Stages // how a plain model was divided, or nil
	Recomputed *recompute.Report   // the cost of a memory limit, or nil
}

// MaxEmbedded is the largest size in bytes of weights of a model for inference that are embedded in a binary. Larger ones are
// kept in a file beside it, as building would take long. Go links no program with more than 2 GB of data: trainers and programs
// with more are refused.
const MaxEmbedded = 1 << 30

// Compile runs the [Stages] on a module, which it modifies. The result is nil if the error is not.
func Compile(m *ir.Module, c Config) (*Result, error) {
	w := &compilation{Config: c, Result: &Result{Modules: []*ir.Module{m}}}
	if err := w.run(); err != nil {
		return nil, err
	}
	return w.Result, nil
}

// StageNames returns the names of the stages that a compilation with this configuration has, in order.
func (c Config) StageNames() []string { return (&compilation{Config: c}).names() }

// Stages returns the names of all stages, in order. A compilation has those that apply to it: see [Config.StageNames].
func Stages() []string {
	var names []string
	for _, s := range stages() {
		names = append(names, s.names...)
	}
	return slices.Clip(names)
}
