package op

import "github.com/bbgen/bbgen/ir"

// MatMulShape returns the sizes of a product of matrices, m×k times k×n, as the parameter of a kernel.
func MatMulShape(m, k, n any) Struct {
	return Struct{Type: "MatMulShape", Fields: []Field{{Name: "M", Value: m}, {Name: "K", Value: k}, {Name: "N", Value: n}}}
}

// Requant returns what becomes of the sums of a node that [InferSums] checks, as the parameter of a kernel: with
// the attributes of the node, and those of its inputs that the weights of the call do not contain.
func Requant(n *ir.Node, add, mult, shift *ir.Value) Struct {
	return Struct{Type: "Requant", Fields: []Field{
		{Name: "Add", Value: add}, {Name: "Mult", Value: mult}, {Name: "Shift", Value: shift},
		{Name: "Zero", Value: n.Int("zero")}, {Name: "Relu", Value: n.Int("relu") != 0},
	}}
}
