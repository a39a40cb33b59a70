package ir

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Inferrer infers the types of a new node's outputs. The operator table implements it, as this package does
// not know operators.
type Inferrer interface {
	Infer(m *Module, n *Node) error
}

// Builder adds nodes to a list, with the types of their outputs. It keeps the first error; later calls return
// values without a type.
type Builder struct {
	Module *Module
	Infer  Inferrer
	Nodes  []*Node // the nodes built so far
	Prefix string  // prefix of the names of new values
	Class  string  // class of new nodes
	Pos    string  // position of new nodes
	err    error
}

// Err returns the first error of any call.
func (b *Builder) Err() error { return b.err }

// Op adds a node of ONNX's own domain at the newest version and returns its
// first output.
func (b *Builder) Op(op string, in ...*Value) *Value { return b.OpA(op, nil, in...) }

// OpA is like [Builder.Op], with attributes.
func (b *Builder) OpA(op string, attrs Attrs, in ...*Value) *Value {
	return b.OpN(op, 1, attrs, in...)[0]
}

// OpN is like [Builder.OpA], for a node with n outputs.
func (b *Builder) OpN(op string, n int, attrs Attrs, in ...*Value) []*Value {
	node := &Node{Op: op, In: in, Class: b.Class, Pos: b.Pos}
	for _, a := range attrs {
		node.Attrs.Set(a.Name, a.Value)
	}
	node.Name = b.Module.FreshName(b.Prefix + op)
	for i := range n {
		name := node.Name
		if i > 0 {
			name = b.Module.FreshName(fmt.Sprintf("%s_%d", node.Name, i))
		}
		node.Out = append(node.Out, &Value{Name: name, Def: node})
	}
	return b.Add(node)
}

// Add appends a node made by the caller, and infers the types of its outputs.
func (b *Builder) Add(n *Node) []*Value {
	if b.err == nil && b.Infer != nil {
		if err := b.Infer.Infer(b.Module, n); err != nil {
			b.err = fmt.Errorf("%s: %w", n, err)
		}
	}
	b.Nodes = append(b.Nodes, n)
	return n.Out
}

// Const returns a new constant.
func (b *Builder) Const(t *tensor.Tensor) *Value {
	return NewConst(b.Module.FreshName(b.Prefix+"const"), t)
}

// Scalar returns a new constant of rank 0 with the given element type.
func (b *Builder) Scalar(like tensor.DType, v float64) *Value {
	return b.Const(tensor.FromFloat(like, v))
}

// Ints returns a new constant int64 vector.
func (b *Builder) Ints(v ...int) *Value {
	t := make([]int64, len(v))
	for i, x := range v {
		t[i] = int64(x)
	}
	return b.Const(tensor.Of(t, len(t)))
}
