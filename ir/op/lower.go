package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/target"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Call is one call of a kernel as data. It can be printed as Go, and it can be executed.
//
// An argument is one of
//
//	*ir.Value          the elements: a slice, or a sequence or an optional; nil prints as nil
//	Boxed              the value with its type and shape: a *tensor.Tensor
//	Whole              all elements, also in a call for some elements of the output
//	int, ir.Dim        an int
//	[]int, []ir.Dim    a []int
//	float64            a float64
//	bool, string       themselves
//	Kernel             another kernel of package cpu, as a function value
//	Const              a constant of package cpu
//	Struct             a struct of package cpu
//	Packed             a constant operand in the layout that a packer makes
//	Derived            data derived from a packed operand at program start
type Call struct {
	Kernel string
	Args   []any
	Binds  []string // symbols bound to the call's results, in order

	// Part is the same call for some of the elements, if the call computes each element separately: every
	// operand except a Whole then has the length of the output, or one element for all. Otherwise it is nil.
	Part *Call
}

// Checks reports whether the call only checks sizes.
func (c Call) Checks() bool {
	return c.Kernel == checkEqual || c.Kernel == checkBroadcast || c.Kernel == checkRoom
}

// Boxed passes a value as a *tensor.Tensor.
type Boxed struct{ *ir.Value }

// Whole passes an operand of which each element of the output may need any element.
type Whole struct{ *ir.Value }

// Kernel passes a kernel as a function.
type Kernel string

// Const passes a named constant of package cpu.
type Const string

// Struct passes a struct of package cpu by value; omitted fields are zero. Elems are the element types of a
// generic struct, in the order of its type parameters.
type Struct struct {
	Type   string
	Elems  []tensor.DType
	Fields []Field
}

// Has reports whether the field has another value than that of an omitted field. Numbers count, also 0.
func (f Field) Has() bool {
	switch v := f.Value.(type) {
	case nil:
		return false
	case *ir.Value:
		return v != nil
	case bool:
		return v
	case []int:
		return len(v) > 0
	case []ir.Dim:
		return len(v) > 0
	}
	return true
}

// Field is a field of a [Struct]. Its value has the types of arguments.
type Field struct {
	Name  string
	Value any
}

// Packed passes a constant operand in the layout of a packer of package cpu, which runs during code
// generation.
//
//	size := cpu.<Packer>Size(dims…)
//	cpu.<Packer>(dst, value, dims…)
//
// If Elem is set, the packed elements are converted to this type, which has all of their values.
type Packed struct {
	*ir.Value
	Packer string
	Dims   []int
	Elem   tensor.DType
}

// Derived passes data that a function of package cpu derives from a packed operand at program start, as they
// are too large for the file.
//
//	cpu.<Maker>(packed, sizes…)
type Derived struct {
	Packed
	Maker string
	Sizes []int
}

// Lowering collects the calls of one node. A call writes those outputs and scratch values that are among its
// arguments, and only reads the others.
type Lowering struct {
	*ir.Node
	Target *target.Target // the machine that choices between calls are made for; nil: [target.Default]
	Calls  []Call
	Temps  []*ir.Value // the results of Scratch
}

// Call appends a kernel call. By convention, outputs come first, followed by inputs and numbers.
func (l *Lowering) Call(kernel string, args ...any) {
	l.Calls = append(l.Calls, Call{Kernel: kernel, Args: args})
}

// Each is like [Lowering.Call], for a kernel that computes each element separately, and also some elements
// only.
func (l *Lowering) Each(kernel string, args ...any) {
	l.Call(kernel, args...)
	l.Part(kernel, args...)
}

// Part sets the form of the last call for some of its elements.
func (l *Lowering) Part(kernel string, args ...any) {
	l.Calls[len(l.Calls)-1].Part = &Call{Kernel: kernel, Args: args}
}

// Count appends a call that returns an int, which is the value of symbol k of the node (see [Infer.Fresh]).
// Neither this call nor an earlier one may use an output of a size that depends on the symbol.
func (l *Lowering) Count(k int, kernel string, args ...any) {
	l.Calls = append(l.Calls, Call{Kernel: kernel, Args: args, Binds: []string{l.Syms[k]}})
}

// Scratch returns memory for the duration of the node. Its content is initially undefined.
func (l *Lowering) Scratch(elem tensor.DType, shape ...ir.Dim) *ir.Value {
	name := l.Name
	if name == "" && l.Res(0) != nil {
		name = l.Res(0).Name
	}
	v := &ir.Value{Name: fmt.Sprintf("%s_tmp%d", name, len(l.Temps)+1), Type: ir.TensorOf(elem, shape...)}
	l.Temps = append(l.Temps, v)
	return v
}

// StoredKernel returns the form of a kernel for the type in which input 1 is stored.
func (l *Lowering) StoredKernel(kernel string) string {
	if l.In[B].Type.Elem != l.In[A].Type.Elem {
		kernel += "Stored"
	}
	return kernel
}

// OutOr returns output i of the node, or scratch of type t if it is omitted.
func (l *Lowering) OutOr(i int, t ir.Type) *ir.Value {
	if v := l.Res(i); v != nil {
		return v
	}
	return l.Scratch(t.Elem, t.Shape...)
}
