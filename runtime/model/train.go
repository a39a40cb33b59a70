package model

import "github.com/bbgen/bbgen/runtime/tensor"

// A TrainProgram is a compiled training step that is known only by its tensors, as commands see it.
type TrainProgram struct {
	Name       string
	Source     string // the file that it was generated from
	Loss       string // named as on the command line: cross_entropy; "" if another peer computes the loss
	Optimizer  string // named as on the command line: adamw
	Rate       float64
	Inputs     []Port   // the model's
	Targets    []Port   // inputs of the loss, such as labels; without a loss, the gradients of the outputs
	Outputs    []Port   // the model's
	Classes    []string // the names of the scores in the first output; nil if unknown
	Columns    []string // the names of the features in the first input; nil if unknown
	Ignored    []int    // the labels that do not count
	Random     string   // the name of the state of the random stream; "" if no random numbers are drawn
	Accumulate int      // the number of steps for one update of the weights, at least 1
	Arena      int      // bytes of a session without its state
	State      int      // bytes of weights, moments and the rest of the state
	New        func(seed uint64) (TrainSession, error)
}

// TrainSession holds the state of one training. It is not safe for concurrent
// use.
type TrainSession interface {
	// SetInput sets the model's input i; numbers after the inputs are the targets. The value is kept until it
	// is set again.
	SetInput(i int, v tensor.Value) error

	// Step computes loss and gradients of the inputs. Every Accumulate-th call updates the weights with the
	// learning rate.
	Step(rate float64) (loss float64, err error)

	// Eval computes the loss of the inputs as inference does, without dropout and with the running statistics
	// of batch normalization. It changes no state. Output then returns the model's outputs.
	Eval() (loss float64, err error)

	// Output returns the model's output i of the last Eval, borrowed until the next Step or Eval.
	Output(i int) tensor.Value

	// State returns everything that Step changes, always in the same order. The tensors are the session's own
	// memory: to resume a training, write the saved values into them.
	State() []Variable
}

// GradientSession is a [TrainSession] whose steps return the gradients of the inputs.
type GradientSession interface {
	TrainSession

	// Gradient returns the gradient of input i in the last Step, borrowed until the next Step; nil for an input
	// that is no tensor of floats.
	Gradient(i int) tensor.Value
}

// SplitSession is a [TrainSession] whose Step has two halves, between which gradients may be changed, such as
// averaged with those of other sessions.
type SplitSession interface {
	TrainSession

	// Gradients computes loss and gradients of the inputs. It changes no weight.
	Gradients() (loss float64, err error)

	// ParameterGradients returns the gradients of the weights, in the order of the weights in State. The
	// tensors are the session's own memory.
	ParameterGradients() []Variable

	// ApplyGradients uses them. Every Accumulate-th call updates the weights with the learning rate.
	ApplyGradients(rate float64) error
}

// ShardedSession is a [SplitSession] that may keep the state of the optimizer for some elements of the weights only, as
// each of several sessions does that share it.
type ShardedSession interface {
	SplitSession

	// Keep sets of which elements of a weight, by its index in ParameterGradients, the session keeps the optimizer's
	// state: the variables that belong to the weight. Shards ascend and do not overlap. Initially all is kept.
	// ApplyGradients updates only elements whose state is kept. State that was kept before keeps its values, other
	// state begins with its initial ones.
	Keep(weight int, shards ...Shard)

	// Divisible reports whether Keep may keep a part of a weight. If not, it keeps all or nothing.
	Divisible(weight int) bool
}

// ReadySession is a [SplitSession] that reports which gradients are complete while it computes the others, so
// that they can be sent early.
type ReadySession interface {
	SplitSession

	// GradientsReady is Gradients. It calls ready with the index of each of ParameterGradients that does not
	// change any more in this call, always in the same order. The others are complete when it returns.
	GradientsReady(ready func(i int)) (loss float64, err error)
}

// ForwardSession is a [TrainSession] without a loss. It can compute the outputs before their gradients are
// known, as another peer computes these.
type ForwardSession interface {
	TrainSession

	// Forward computes the outputs in the same way as the next Step, which computes them again from its inputs:
	// with dropout, and the statistics of the batch. It changes no state.
	Forward() error
}

// A Variable is one part of a training's state.
type Variable struct {
	Name  string // for weights the model's name; names of variables that belong to a weight begin with it
	Kind  VariableKind
	Of    string         // the weight to which a variable of the optimizer belongs; "": it belongs to all, or sessions cannot share it
	Value *tensor.Tensor // nil if a [ShardedSession] does not keep it; a vector of the kept elements if it keeps a part
}

// VariableKind is the purpose of a [Variable].
type VariableKind uint8

// The kinds of variables.
const (
	Weight  VariableKind = iota // an initializer that is trained
	Buffer                      // an initializer that a step changes without a gradient, such as a running mean
	Average                     // an average of the weight whose name it begins with, exported in place of the weight
	Private                     // moments, counters, random states
)
