package collective

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Kind is the kind of a collective.
type Kind uint8

// The kinds of collectives.
const (
	AllReduce     Kind = iota // the reduction of all values, on all ranks
	ReduceScatter             // the rows of each rank in the reduction
	AllGather                 // all values, concatenated along the first axis, on all ranks
	Broadcast                 // the root's value, on all ranks
	Reduce                    // the reduction on the root; the others have their own value
	Barrier                   // no value: synchronizes all ranks
	Enter                     // joining ranks get the value of a member; the others keep their own
	numKinds
)

var kindNames = [numKinds]string{"all_reduce", "reduce_scatter", "all_gather", "broadcast", "reduce", "barrier", "enter"}

// String returns the name of the collective, such as "all_reduce".
func (k Kind) String() string {
	if k < numKinds {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", k)
}

// reduces reports whether values are reduced.
func (k Kind) reduces() bool { return k == AllReduce || k == ReduceScatter || k == Reduce }

// atOnce reports whether a result is delivered before it is confirmed: it is the same on all ranks, so that a
// rank that has it can send it to another one.
func (k Kind) atOnce() bool { return k == AllReduce || k == Broadcast }

// Op is a reduction.
type Op uint8

// The reductions. Max of anything and NaN is NaN; sums of integers wrap.
const (
	Sum Op = iota
	Mean
	Max
	numOps
)

var opNames = [numOps]string{"sum", "mean", "max"}

// String returns the operation's name: "sum", "mean" or "max".
func (o Op) String() string {
	if o < numOps {
		return opNames[o]
	}
	return fmt.Sprintf("Op(%d)", o)
}

// IfLost is the policy for a lost member.
type IfLost uint8

// The policies.
const (
	Fail   IfLost = iota // calls end with an error
	Repeat               // the others continue without it
	Wait                 // the others wait until it is back
	numIfLost
)

var ifLostNames = [numIfLost]string{"fail", "repeat", "wait"}

// String returns the policy's name: "fail", "repeat" or "wait".
func (l IfLost) String() string {
	if l < numIfLost {
		return ifLostNames[l]
	}
	return fmt.Sprintf("IfLost(%d)", l)
}

// Spec describes the calls of a stream. It is the same on all ranks.
type Spec struct {
	Kind      Kind
	Op        Op
	Elem      tensor.DType
	Root      int       // the rank of Broadcast and Reduce
	Algorithm Algorithm // Auto: the cheapest one
	Finite    bool      // values that are not finite are refused
	Codec     Codec     // only for float32
	Feedback  bool      // the rounding error of a value or a sum is added to the next one
}

// Check returns an error if a spec is invalid.
func (s *Spec) Check() error {
	switch {
	case s.Kind >= numKinds || s.Op >= numOps || s.Algorithm >= numAlgorithms || s.Codec >= numCodecs:
		return fmt.Errorf("%v of %v by %v as %v: there is no such collective", s.Kind, s.Op, s.Algorithm, s.Codec)
	case s.Codec != Exact && (s.Kind == Barrier || s.Kind == Enter || s.Elem != tensor.Float32):
		return fmt.Errorf("%v of %v: the codec %v is for float32", s.Kind, s.Elem, s.Codec)
	case s.Feedback && s.Codec == Exact:
		return fmt.Errorf("%v of %v: nothing is lost without a codec, want one with feedback", s.Kind, s.Elem)
	case s.Feedback && s.Kind.reduces() && s.Op == Max:
		return fmt.Errorf("%v: what is lost cannot be added to a later %v", s.Kind, s.Op)
	case s.Kind == Barrier:
		return nil
	case s.Kind == Enter && s.Elem != tensor.Uint8:
		return fmt.Errorf("%v: elements are %v, want bytes", s.Kind, s.Elem)
	case s.Elem.Size() == 0:
		return fmt.Errorf("%v: elements are %v, want a type of fixed size", s.Kind, s.Elem)
	case s.Kind.reduces() && !Reduces(s.Op, s.Elem):
		return fmt.Errorf("%v: there is no %v of %v", s.Kind, s.Op, s.Elem)
	case s.Root < 0:
		return fmt.Errorf("%v: the root is rank %d", s.Kind, s.Root)
	case s.Algorithm != Auto && !s.supports(s.Algorithm):
		return fmt.Errorf("%v of %v: algorithm %v does not compute that, want one of %v", s.Kind, s.Elem, s.Algorithm, s.algorithms())
	}
	return nil
}

// Reduces reports whether a reduction of elements is defined.
func Reduces(o Op, d tensor.DType) bool {
	switch d {
	case tensor.Float32, tensor.Float64, tensor.Float16, tensor.BFloat16:
		return true
	case tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64, tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64:
		return o != Mean
	}
	return false
}

// widens reports whether partial sums are float32 though the sent elements are not. Such partial sums are
// never sent.
func (s *Spec) widens() bool { return s.Kind.reduces() && (isHalf(s.Elem) || s.Codec != Exact) }

func isHalf(d tensor.DType) bool { return d == tensor.Float16 || d == tensor.BFloat16 }
