package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// Op is one operator: its row of the table.
//
// An operator has a Lower, or an Expand, or a Flow. If it has both Lower and Expand, [Op.Expands] selects
// between them.
type Op struct {
	Name   string
	Domain string // "" is ONNX's own

	// Since lists the operator set versions that changed the operator, oldest first. Upgrade is called for
	// older nodes than the newest version.
	Since []int

	// Attrs are the attributes that a node may have, Inputs and Outputs the values that it reads and defines.
	// [Op.Check] compares nodes with them.
	Attrs           []Attr
	Inputs, Outputs []Port

	// Infer sets the types of the outputs. For any input file, it must succeed or return an error that
	// explains what is wrong. It is nil for a [Op.Synonym].
	Infer func(c *Infer) error

	// Agree lists sizes that the kernels require to be equal, in addition to those that Infer compares with
	// [Infer.Agree]. For an Alias, nil means that the number of elements must not change.
	Agree func(n *ir.Node) []Agreement

	// Upgrade rewrites a node of an older version to the newest one, in place. It may insert nodes before it.
	Upgrade func(b *ir.Builder, n *ir.Node) error

	// Adapt rewrites a node, in place, to a form that inference handles better for the given inputs. It may
	// insert nodes before it.
	Adapt func(b *ir.Builder, n *ir.Node)

	// Lower converts a node to kernel calls.
	Lower func(l *Lowering) error

	// Expand returns the node's outputs in terms of other operators.
	Expand func(b *ir.Builder, n *ir.Node) ([]*ir.Value, error)

	// Expands reports whether Expand is used for a node that could be lowered; nil means always if there is
	// an Expand.
	Expands func(n *ir.Node) bool

	// Grad returns the gradients of the inputs in terms of those of the outputs, with nil for an input
	// without gradient. dy[i] is nil if output i has no influence. It builds ordinary nodes. An operator
	// without Grad is differentiated through its Expand, unless it has Stops.
	Grad func(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value

	// HasGrad reports whether Grad is for a node, which is differentiated through its Expand otherwise; nil means always.
	HasGrad func(n *ir.Node) bool

	// Stops explains why there is no gradient, for an operator that must not be between a parameter and a
	// loss.
	Stops string

	// Flow selects how the regions of a control flow operator run.
	Flow Flow

	// Live returns the regions of a node that may run; nil means all. The others have no types.
	Live func(n *ir.Node) []*ir.Region

	// Alias: output 0 is input 0 with another shape; no code runs.
	Alias bool

	// Picks: each element of output 0 is an element of input 0, selected by its position or as the largest,
	// independently of the meaning of elements.
	Picks bool

	// Repeats: output 0 is a value several times, which is not worth a large constant.
	Repeats bool

	// Noop reports whether output 0 equals input 0, if their types are equal, as for a Cast to the same type
	// or a Transpose that moves nothing.
	Noop func(n *ir.Node) bool

	// Act returns the activation of fused operators that a node computes, or ""; nil if no node does.
	Act func(n *ir.Node) string

	// Broadcasts: each element of output 0 depends on those of the inputs at its position, which broadcast by
	// numpy's rules.
	Broadcasts bool

	// Pointwise reports whether each element of a node's output depends only on the inputs at its position,
	// which broadcast, and on tables; nil means never.
	Pointwise func(n *ir.Node) bool

	// Last is the form on data with the channels last, or nil. An operator that is Pointwise needs none.
	Last *LastForm

	// InPlace: output 0 may overwrite one of the inputs that [Overwritable] returns, if it has the same size and
	// type.
	InPlace bool

	// Updates: output i is input Updates[i], changed in place by the kernel. Calls name the output, which
	// contains the input at first. No node reads the input after this one.
	Updates []int

	// PerElement: each element of the outputs follows from those in its place in the inputs, and from inputs with one
	// element. So an operator that updates a tensor can update a part of it.
	PerElement bool

	// Widen: for float16, bfloat16 and float8, the operator computes in float32 and rounds its result once.
	Widen bool

	// Precise lists outputs that stay float32 when training stores values in fewer bits: losses, logarithms,
	// sums and statistics.
	Precise []int

	// Stored lists inputs that kernels can also read as float16 or bfloat16 if the others are float32.
	Stored []int

	// Effect: the node must run exactly as often and where the graph says, even if its outputs are unused or
	// it equals another node.
	Effect bool

	// FLOPs returns the number of arithmetic operations of a node. A multiplication and an addition count as
	// two. Nil means one for each element.
	FLOPs func(n *ir.Node) ir.Dim

	// Bytes returns the least number of bytes that a node reads and writes; nil means each tensor once.
	Bytes func(n *ir.Node) ir.Dim

	// Fixed lists float inputs that are not trainable parameters.
	Fixed []int

	// Running returns, for each input that is a running statistic, its value after a training step, and nil
	// for the others.
	Running func(b *ir.Builder, n *ir.Node) []*ir.Value

	// Inference converts a node from training to inference.
	Inference func(n *ir.Node)

	// Trains reports whether a node is known to compute as in training; nil if the operator computes the same in
	// inference.
	Trains func(n *ir.Node) bool

	// Random: the node draws from the run's random stream.
	Random bool

	// Peer describes the action of the node on a peer; nil for operators that compute.
	Peer *Peer
}

// Flow is a kind of control flow.
type Flow uint8

// The kinds of control flow.
const (
	NoFlow   Flow = iota
	Branch        // one of two regions runs: If
	Iterate       // a region runs while a condition is true: Loop
	ScanFlow      // a region runs for each slice of its inputs: Scan
)

// Arity is the range of the number of a node's inputs or outputs, optional ones included.
type Arity struct{ Min, Max int }

// Any means no upper limit.
const Any = 1 << 30

// Synonym reports whether o is only another name for its Expand, which replaces it before types are inferred.
func (o *Op) Synonym() bool { return o.Infer == nil && o.Expand != nil }

// Defined reports whether Expand replaces n.
func (o *Op) Defined(n *ir.Node) bool {
	switch {
	case o.Expand == nil:
		return false
	case o.Lower == nil && !o.Alias && o.Flow == NoFlow:
		return true
	}
	return o.Expands == nil || o.Expands(n)
}

// Key returns the name of an operator in messages and tables: its domain and its name.
func (o *Op) Key() string { return o.Domain + ":" + o.Name }

// Newest returns the newest operator set version that changed o.
func (o *Op) Newest() int {
	if len(o.Since) == 0 {
		return 1
	}
	return o.Since[len(o.Since)-1]
}

func (a Arity) check(what string, n int) error {
	if n >= a.Min && n <= a.Max {
		return nil
	}
	want := fmt.Sprint(a.Min)
	switch {
	case a.Max == Any:
		want += " or more"
	case a.Max != a.Min:
		want = fmt.Sprintf("%d to %d", a.Min, a.Max)
	}
	return fmt.Errorf("has %d %ss, want %s", n, what, want)
}

// Always returns true, as a column of operators for which it holds for all nodes.
func Always(*ir.Node) bool { return true }

// Never returns false, for operators with a definition that is only used for differentiation.
func Never(*ir.Node) bool { return false }
