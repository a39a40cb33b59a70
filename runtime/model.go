package runtime

import (
	"github.com/bbgen/bbgen/runtime/internal/fault"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Package model describes models without peers. Generated code uses the names here, as generated code of all
// versions imports only this package. Types are aliases, for generated code and commands.
type (
	// Program is a compiled model that is known only by its tensors, as commands see it.
	Program = model.Program

	// Port is an input or output of a [Program].
	Port = model.Port

	// Session runs a program on any number of inputs, one after the other.
	Session = model.Session

	// Profiled is a [Session] that reports the node that it runs.
	Profiled = model.Profiled

	// ProfiledNode is a node of the model, and how it was compiled.
	ProfiledNode = model.ProfiledNode

	// Profiler receives the reports of a profiled run.
	Profiler = model.Profiler

	// TrainProgram is a compiled training step that is known only by its tensors, as commands see it.
	TrainProgram = model.TrainProgram

	// TrainSession holds the state of one training.
	TrainSession = model.TrainSession

	// GradientSession is a [TrainSession] whose steps return the gradients of the inputs.
	GradientSession = model.GradientSession

	// SplitSession is a [TrainSession] whose Step has two halves, between which gradients may be changed.
	SplitSession = model.SplitSession

	// ShardedSession is a [SplitSession] that may keep the optimizer's state of some elements of the weights only.
	ShardedSession = model.ShardedSession

	// Shard is a range of elements of a weight. See [model.Shard].
	Shard = model.Shard

	// ReadySession is a [SplitSession] that reports which gradients are complete while it computes the others.
	ReadySession = model.ReadySession

	// ForwardSession is a [TrainSession] without a loss.
	ForwardSession = model.ForwardSession

	// TrainOptions configure a trainer.
	TrainOptions = model.TrainOptions

	// Backend is a component that computes graphs with an engine of its own, for the role Backend. See
	// [model.Backend].
	Backend = model.Backend

	// Variable is one part of a training's state.
	Variable = model.Variable

	// VariableKind is the purpose of a [Variable].
	VariableKind = model.VariableKind
)

// Site is a call in generated code that can fail because of data.
type Site = fault.Site

// Recovered converts a panic of a run to an error that names the node. It is called while the panic is in
// progress.
func Recovered(model string, r any, sites ...Site) error { return fault.Recovered(model, r, sites...) }

// IsData reports whether a run failed because of its data, with an error that names the node that cannot
// compute them.
func IsData(err error) bool { return fault.IsData(err) }

// Catch converts a panic to the error of the function that defers it, as [Recovered] does.
func Catch(model string, err *error, sites ...Site) {
	if r := recover(); r != nil {
		*err = Recovered(model, r, sites...)
	}
}

// The kinds of variables.
const (
	Weight  = model.Weight  // an initializer that is trained
	Buffer  = model.Buffer  // an initializer that a step changes without a gradient, such as a running mean
	Average = model.Average // an average of the weight whose name it begins with, exported in place of the weight
	Private = model.Private // moments, counters, random states
)

// Stream returns the start of the random numbers of a seed. It has 31 bits.
func Stream(seed uint64) int64 { return model.Stream(seed) }

// Shards returns shards with their places in the memory of the optimizer's state.
func Shards(list []Shard) []Shard { return model.Shards(list) }

// OptimizerState returns the elements of the optimizer's state that are kept now. See [model.OptimizerState].
func OptimizerState[T tensor.Element](old []T, was, now []Shard, initial []byte) []T {
	return model.OptimizerState(old, was, now, initial)
}

// IfKept returns the tensor of the optimizer's state with the kept elements, or nil if there are none.
func IfKept[T tensor.Element](data []T, shape ...int) *tensor.Tensor {
	return model.IfKept(data, shape...)
}

// Trained returns the weights among variables.
func Trained(vars []Variable) []Variable { return model.Trained(vars) }

// Exported returns the new values of a model's initializers, by name.
func Exported(vars []Variable) map[string]*tensor.Tensor { return model.Exported(vars) }

// CheckInputs returns an error if the inputs of a run are wrong: their types, their fixed sizes, or different
// sizes for one name.
func CheckInputs(ports []Port, inputs []tensor.Value) error { return model.CheckInputs(ports, inputs) }

// Retrieve sets x to an output that a backend has computed.
func Retrieve[T tensor.Element](x *tensor.Dense[T], b Backend, graph, output int, dims ...int) error {
	return model.Retrieve(x, b, graph, output, dims...)
}

// RetrieveScalar is [Retrieve] for an output of rank 0.
func RetrieveScalar[T tensor.Element](x *T, b Backend, graph, output int) error {
	return model.RetrieveScalar(x, b, graph, output)
}
