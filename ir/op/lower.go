package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Call is one call of a kernel, as plain data: it can be printed as Go and it
// can be executed.
//
// An argument is one of
//
//	*ir.Value          the elements: a slice, or a sequence or an optional; nil prints as nil
//	Boxed              the value with its type and shape: a *tensor.Tensor
//	Whole              the elements, all of them also in a call for some of the output's
//	int, ir.Dim        an int
//	[]int, []ir.Dim    a []int
//	float64            a float64
//	bool, string       themselves
//	Kernel             another kernel of package cpu, as a function value
//	Const              a constant of package cpu
//	Struct             a struct of package cpu
//	Packed             a constant operand in the layout that a packer makes
//	Derived            what is made of that when the program starts
type Call struct {
	Kernel string
	Args   []any
	Binds  []string // symbols that are bound to the call's results, in order

	// Part is the same for some of the elements, of a call that computes each
	// element by itself: every operand but a Whole is then as long as the output,
	// or one element that stands for all. It is nil for other calls.
	Part *Call
}

// Checks reports whether the call only looks at sizes, and fails if they are
// wrong.
func (c Call) Checks() bool {
	return c.Kernel == checkEqual || c.Kernel == checkBroadcast || c.Kernel == checkRoom
}

// Boxed passes a value as a *tensor.Tensor.
type Boxed struct{ *ir.Value }

// Whole passes what each element of the output may need any element of.
type Whole struct{ *ir.Value }

// Kernel passes a kernel as a function.
type Kernel string

// Const passes a named constant of package cpu.
type Const string

// Struct passes a struct of package cpu by value; fields left out are zero.
type Struct struct {
	Type   string
	Fields []Field
}

// Field is a field of a [Struct]; its value is what an argument can be.
type Field struct {
	Name  string
	Value any
}

// Packed passes a constant operand that a packer of package cpu has brought
// into another layout when the code was generated.
//
//	size := cpu.<Packer>Size(dims…)
//	cpu.<Packer>(dst, value, dims…)
type Packed struct {
	*ir.Value
	Packer string
	Dims   []int
}

// Derived passes what a function of package cpu makes of a packed operand when
// the program starts: it takes more room than a file should hold.
//
//	cpu.<Maker>(packed, sizes…)
type Derived struct {
	Packed
	Maker string
	Sizes []int
}

// Lowering collects the calls of one node. A call writes what it gets of the
// node's outputs and of scratch, and only reads the rest.
type Lowering struct {
	*ir.Node
	Calls []Call
	Temps []*ir.Value // what Scratch has given
}

// Call appends a kernel call. By custom outputs come first, then inputs, then
// the numbers.
func (l *Lowering) Call(kernel string, args ...any) {
	l.Calls = append(l.Calls, Call{Kernel: kernel, Args: args})
}

// Each is [Lowering.Call] for a kernel that computes each element by itself, and
// as well some elements alone.
func (l *Lowering) Each(kernel string, args ...any) {
	l.Call(kernel, args...)
	l.Part(kernel, args...)
}

// Part says what the last call is for some of its elements.
func (l *Lowering) Part(kernel string, args ...any) {
	l.Calls[len(l.Calls)-1].Part = &Call{Kernel: kernel, Args: args}
}

// Count appends a call that returns an int, which is what symbol k of the node
// (see [Infer.Fresh]) stands for. No output whose size depends on the symbol may
// be used by this call or an earlier one.
func (l *Lowering) Count(k int, kernel string, args ...any) {
	l.Calls = append(l.Calls, Call{Kernel: kernel, Args: args, Binds: []string{l.Syms[k]}})
}

// Scratch is memory for the time of the node. Its content is undefined at
// first.
func (l *Lowering) Scratch(elem tensor.DType, shape ...ir.Dim) *ir.Value {
	name := l.Name
	if name == "" && l.Res(0) != nil {
		name = l.Res(0).Name
	}
	v := &ir.Value{Name: fmt.Sprintf("%s_tmp%d", name, len(l.Temps)+1), Type: ir.TensorOf(elem, shape...)}
	l.Temps = append(l.Temps, v)
	return v
}

// StoredKernel returns the form of a kernel for input 1 as it is stored.
func (l *Lowering) StoredKernel(kernel string) string {
	if l.In[1].Type.Elem != l.In[0].Type.Elem {
		kernel += "Stored"
	}
	return kernel
}

// OutOr is output i of the node, or scratch of its type if it is left out.
func (l *Lowering) OutOr(i int, t ir.Type) *ir.Value {
	if v := l.Res(i); v != nil {
		return v
	}
	return l.Scratch(t.Elem, t.Shape...)
}
