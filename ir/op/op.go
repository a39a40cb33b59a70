package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// Op is one operator: its row of the table.
//
// An operator has a Lower, or an Expand, or a Flow; one with Lower and Expand
// uses Expand where [Op.Expands] says so.
type Op struct {
	Name   string
	Domain string // "" is ONNX's own

	// Since lists the operator set versions that changed the operator, oldest
	// first. A node older than the newest goes through Upgrade first.
	Since []int

	// Attrs are the attributes that a node may have, Inputs and Outputs the values
	// that it reads and defines. [Op.Check] compares nodes with them.
	Attrs           []Attr
	Inputs, Outputs []Port

	// Infer gives the outputs their types. It must succeed whatever a file
	// says, or explain what is wrong with the file. It is nil for a [Op.Synonym].
	Infer func(c *Infer) error

	// Agree lists sizes that must be equal for the kernels to read what they
	// should, besides those that Infer compares with [Infer.Agree]; nil for an
	// Alias means that the elements are as many after it.
	Agree func(n *ir.Node) []Agreement

	// Upgrade rewrites a node of an older version into the newest form, in
	// place; it may put nodes before it.
	Upgrade func(b *ir.Builder, n *ir.Node) error

	// Adapt rewrites a node, in place, where its inputs ask for a form of which
	// inference can say more; it may put nodes before it.
	Adapt func(b *ir.Builder, n *ir.Node)

	// Lower turns a node into kernel calls.
	Lower func(l *Lowering) error

	// Expand gives the node's outputs in terms of other operators.
	Expand func(b *ir.Builder, n *ir.Node) ([]*ir.Value, error)

	// Expands reports whether Expand is used for a node that could be lowered;
	// nil means always if there is an Expand.
	Expands func(n *ir.Node) bool

	// Grad gives the gradients of the inputs in terms of those of the outputs,
	// nil for an input that has none: dy[i] is nil where nothing depends on
	// output i. It builds ordinary nodes. An operator without Grad is
	// differentiated by its Expand, if it has no Stops.
	Grad func(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value

	// Stops says why there is no gradient, for an operator that cannot stand
	// between a parameter and a loss.
	Stops string

	// Flow says how the regions of a control flow operator run.
	Flow Flow

	// Live lists the regions of a node that may run; nil means all. The others
	// have no types.
	Live func(n *ir.Node) []*ir.Region

	// Alias: output 0 is input 0 under another shape; no code runs.
	Alias bool

	// Picks: each element of output 0 is one of input 0's, chosen by where it
	// stands or by being the largest, whatever numbers elements stand for.
	Picks bool

	// Noop reports whether output 0 is input 0, given that they have one type:
	// a Cast to the same type, a Transpose that moves nothing.
	Noop func(n *ir.Node) bool

	// Act names the activation of fused operators that a node is, "" if it is
	// none of them; nil if no node is one.
	Act func(n *ir.Node) string

	// Broadcasts: each element of output 0 comes from those of the inputs at its
	// place, which broadcast as numpy's do.
	Broadcasts bool

	// Pointwise reports whether each element of a node's output depends on the
	// inputs at its place only, which broadcast, and on tables; nil if none does.
	Pointwise func(n *ir.Node) bool

	// Last is the form on data with the channels last; nil if there is none, but
	// for what is Pointwise, which is the same there.
	Last *LastForm

	// InPlace: output 0 may take the memory of an input of its size and type.
	InPlace bool

	// Updates: output i is input Updates[i] after the kernel has changed it in
	// place. Calls name the output; it holds what the input did. Nobody reads
	// the input after the node.
	Updates []int

	// Widen: on float16, bfloat16 and float8 the operator computes in float32
	// and its result is rounded once.
	Widen bool

	// Precise are outputs that stay float32 where training keeps others in fewer
	// bits: losses, logarithms, sums and statistics.
	Precise []int

	// Stored are inputs that kernels read as float16 or bfloat16, too, where the
	// others are float32.
	Stored []int

	// Effect: the node must run exactly as often as the graph says and in its
	// place, even when nobody reads its outputs or it looks like another.
	Effect bool

	// FLOPs counts the arithmetic operations of a node, a multiplication and an
	// addition as two; nil means one an element.
	FLOPs func(n *ir.Node) ir.Dim

	// Bytes counts what a node reads and writes at least; nil means each tensor
	// once.
	Bytes func(n *ir.Node) ir.Dim

	// Fixed are float inputs that are no parameters to train.
	Fixed []int

	// Running gives, for each input that is a running statistic, what it is
	// after a step of training, and nil for the others.
	Running func(b *ir.Builder, n *ir.Node) []*ir.Value

	// Inference brings a node that trains into the form of inference.
	Inference func(n *ir.Node)

	// Random: it draws from the run's random stream.
	Random bool

	// Peer says what the node does on a peer beside computing; nil for the
	// operators that compute.
	Peer *Peer
}

// Flow is a kind of control flow.
type Flow uint8

// The kinds of control flow.
const (
	NoFlow   Flow = iota
	Branch        // one of two regions runs: If
	Iterate       // a region runs while a condition holds: Loop
	ScanFlow      // a region runs for each slice of its inputs: Scan
)

// Arity is how many values a node has on one side, the optional ones included.
type Arity struct{ Min, Max int }

// Any is no upper bound.
const Any = 1 << 30

// Synonym reports whether o is only other words for its Expand, which takes its
// place before types are inferred.
func (o *Op) Synonym() bool { return o.Infer == nil && o.Expand != nil }

// Defined reports whether Expand takes the place of n, whose calls would not
// compute it.
func (o *Op) Defined(n *ir.Node) bool {
	switch {
	case o.Expand == nil:
		return false
	case o.Lower == nil && !o.Alias && o.Flow == NoFlow:
		return true
	}
	return o.Expands == nil || o.Expands(n)
}

// Key names an operator in messages and tables: its domain and its name.
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

// Always returns the column of an operator all of whose nodes are alike.
func Always(*ir.Node) bool { return true }

// Never is for an operator whose definition serves to differentiate it.
func Never(*ir.Node) bool { return false }
