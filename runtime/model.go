package runtime

import (
	"github.com/bbgen/bbgen/runtime/internal/fault"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Models without peers are described by package model. Generated code calls it by the names
// here, as that of all versions imports this package alone; types are aliases, as generated
// code and commands write their names.
type (
	// Program is a compiled model as commands see it that know it only by its tensors.
	Program = model.Program

	// Port is an input or output of a [Program].
	Port = model.Port

	// Session runs a program on one set of inputs after the other.
	Session = model.Session

	// Profiled is a [Session] that can say what it is doing.
	Profiled = model.Profiled

	// ProfiledNode is a node of the model, and what became of it.
	ProfiledNode = model.ProfiledNode

	// Profiler is told what a run does.
	Profiler = model.Profiler

	// TrainProgram is a compiled training step as commands see it that know it only by
	// its tensors.
	TrainProgram = model.TrainProgram

	// TrainSession holds the state of one training.
	TrainSession = model.TrainSession

	// GradientSession is a [TrainSession] whose steps give the gradients of the inputs.
	GradientSession = model.GradientSession

	// SplitSession is a [TrainSession] whose Step is two halves, between which gradients
	// may be changed.
	SplitSession = model.SplitSession

	// ReadySession is a [SplitSession] that tells which gradients are complete while it
	// computes others.
	ReadySession = model.ReadySession

	// ForwardSession is a [TrainSession] without a loss.
	ForwardSession = model.ForwardSession

	// TrainOptions say how a trainer runs.
	TrainOptions = model.TrainOptions

	// Backend is a component that computes graphs with an engine of its own: the role
	// Backend. See [model.Backend].
	Backend = model.Backend

	// Variable is one part of a training's state.
	Variable = model.Variable

	// VariableKind says what a [Variable] is for.
	VariableKind = model.VariableKind
)

// Site is a call in generated code that data can make fail.
type Site = fault.Site

// Recovered turns what a run panicked with into an error that names the node. It is called
// while the panic goes on.
func Recovered(model string, r any, sites ...Site) error { return fault.Recovered(model, r, sites...) }

// Catch makes a panic the error of the function that defers it, as [Recovered] does.
func Catch(model string, err *error, sites ...Site) {
	if r := recover(); r != nil {
		*err = Recovered(model, r, sites...)
	}
}

// The kinds of variables.
const (
	Weight  = model.Weight  // an initializer that is trained
	Buffer  = model.Buffer  // an initializer that a step changes otherwise, such as a running mean
	Average = model.Average // an average of the weight whose name it begins with, to be exported in its place
	Private = model.Private // moments, counters, random states
)

// Stream is where the random numbers of a seed begin. It has 31 bits.
func Stream(seed uint64) int64 { return model.Stream(seed) }

// Trained are the weights among variables.
func Trained(vars []Variable) []Variable { return model.Trained(vars) }

// Exported is what a model's initializers have become, by name.
func Exported(vars []Variable) map[string]*tensor.Tensor { return model.Exported(vars) }

// CheckInputs says what is wrong with the tensors among the inputs of a run:
// their types, their fixed sizes, and whether those of one name agree.
func CheckInputs(ports []Port, inputs []tensor.Value) error { return model.CheckInputs(ports, inputs) }

// Retrieve makes x an output that a backend has computed.
func Retrieve[T tensor.Element](x *tensor.Dense[T], b Backend, graph, output int, dims ...int) error {
	return model.Retrieve(x, b, graph, output, dims...)
}

// RetrieveScalar is [Retrieve] of an output of rank 0.
func RetrieveScalar[T tensor.Element](x *T, b Backend, graph, output int) error {
	return model.RetrieveScalar(x, b, graph, output)
}
