package model

import "github.com/bbgen/bbgen/runtime/tensor"

// TrainProgram is a compiled training step as commands see it that know it only
// by its tensors.
type TrainProgram struct {
	Name       string
	Source     string // the file that it was generated from
	Loss       string // as the command line names it: cross_entropy; "" if that is on another peer
	Optimizer  string // as the command line names it: adamw
	Rate       float64
	Inputs     []Port // the model's
	Targets    []Port // what the loss compares with, such as labels; without a loss, the gradients of the outputs
	Outputs    []Port // the model's
	Random     string // the part of the state that says where the random stream stands, "" if nothing is drawn
	Accumulate int    // how many steps make one update of the weights, at least 1
	Arena      int    // bytes that a session takes beside its state
	State      int    // bytes of weights, moments and the rest of the state
	New        func(seed uint64) (TrainSession, error)
}

// TrainSession holds the state of one training. It is not safe for concurrent
// use.
type TrainSession interface {
	// SetInput sets the model's input i or, counted on from the inputs, a
	// target. The value is kept until it is set again.
	SetInput(i int, v tensor.Value) error

	// Step computes loss and gradients of the inputs and, at every
	// Accumulate-th call, updates the weights with this learning rate.
	Step(rate float64) (loss float64, err error)

	// Eval computes the loss of the inputs as inference does, without dropout
	// and with the statistics that batch normalization has gathered. It changes
	// no state. Output gives the model's outputs afterwards.
	Eval() (loss float64, err error)

	// Output is the model's output i of the last Eval, borrowed until the next
	// Step or Eval.
	Output(i int) tensor.Value

	// State is all that Step changes, in an order that is always the same. The
	// tensors are the session's own memory: a training is resumed by writing
	// into them what they held.
	State() []Variable
}

// GradientSession is a [TrainSession] whose steps give the gradients of the inputs.
type GradientSession interface {
	TrainSession

	// Gradient is that of input i in the last Step, borrowed until the next; nil
	// for an input that is no tensor of floats.
	Gradient(i int) tensor.Value
}

// SplitSession is a [TrainSession] whose Step is two halves, between which gradients may
// be changed: averaged with those of other sessions.
type SplitSession interface {
	TrainSession

	// Gradients computes loss and gradients of the inputs. It changes no weight.
	Gradients() (loss float64, err error)

	// ParameterGradients are those of the weights, in the order in which State has
	// the weights. The tensors are the session's own memory.
	ParameterGradients() []Variable

	// ApplyGradients takes them and, at every Accumulate-th call, updates the weights
	// with this learning rate.
	ApplyGradients(rate float64) error
}

// ReadySession is a [SplitSession] that tells which gradients are complete while it computes
// others, so that they can be sent meanwhile.
type ReadySession interface {
	SplitSession

	// GradientsReady is Gradients. It calls ready with the number of each of
	// ParameterGradients that changes no more in this call, in an order that is always
	// the same. Those that it says nothing of are complete when it returns.
	GradientsReady(ready func(i int)) (loss float64, err error)
}

// ForwardSession is a [TrainSession] without a loss. It can compute the outputs
// before their gradients are known, which another peer has to find out.
type ForwardSession interface {
	TrainSession

	// Forward computes the outputs as the next Step will, which computes them again
	// from its inputs: with dropout, and the statistics of the batch. It changes no
	// state.
	Forward() error
}

// Variable is one part of a training's state.
type Variable struct {
	Name  string // a weight's is the model's own, the others' begin with it if they belong to one
	Kind  VariableKind
	Value *tensor.Tensor
}

// VariableKind says what a [Variable] is for.
type VariableKind uint8

// The kinds of variables.
const (
	Weight  VariableKind = iota // an initializer that is trained
	Buffer                      // an initializer that a step changes otherwise, such as a running mean
	Average                     // an average of the weight whose name it begins with, to be exported in its place
	Private                     // moments, counters, random states
)
