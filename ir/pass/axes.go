package pass

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// move permutes the axes of x. If that moves no data, it returns a Reshape.
func move(b *ir.Builder, x *ir.Value, perm []int) *ir.Value {
	shape, wild := make([]int, len(perm)), 0
	still, before := true, -1
	for i, p := range perm {
		d := x.Type.Shape[p]
		n, ok := d.Const()
		if shape[i] = n; !ok || n == 0 {
			shape[i] = -1
			wild++
		}
		if n != 1 || !ok {
			still = still && p > before
			before = p
		}
	}
	if still && wild < 2 {
		return b.Op("Reshape", x, b.Ints(shape...))
	}
	return transpose(b, x, perm)
}

// transpose permutes the axes of x.
func transpose(b *ir.Builder, x *ir.Value, perm []int) *ir.Value {
	return b.OpA("Transpose", op.Attrs("perm", perm), x)
}

// permOf returns the permutation of a Transpose.
func permOf(n *ir.Node) []int {
	if n.Has("perm") {
		perm, rank := n.Ints("perm"), len(n.In[op.X].Type.Shape)
		for i, p := range perm {
			if p < 0 {
				perm[i] = p + rank
			}
		}
		return perm
	}
	perm := make([]int, len(n.In[op.X].Type.Shape))
	for i := range perm {
		perm[i] = len(perm) - 1 - i
	}
	return perm
}

// moveAxis returns x with one axis moved.
func moveAxis(b *ir.Builder, x *ir.Value, from, to int) *ir.Value {
	if from == to {
		return x
	}
	var perm []int
	for i := range x.Type.Shape {
		if i != from {
			perm = append(perm, i)
		}
	}
	return move(b, x, slices.Insert(perm, to, from))
}

// forwards returns the permutation that moves the channels last; backwards inverts it.
func forwards(rank int) []int {
	perm := []int{0}
	for i := 2; i < rank; i++ {
		perm = append(perm, i)
	}
	return append(perm, 1)
}

func backwards(rank int) []int {
	perm := []int{0, rank - 1}
	for i := 1; i < rank-1; i++ {
		perm = append(perm, i)
	}
	return perm
}

// swapsLast reports whether a Transpose only swaps the last two axes.
func swapsLast(n *ir.Node) bool {
	perm := permOf(n)
	return len(perm) >= 2 && slices.Equal(perm, swapLast(len(perm)))
}

// swapLast returns the permutation that swaps the last two axes.
func swapLast(rank int) []int {
	perm := make([]int, rank)
	for i := range perm {
		perm[i] = i
	}
	perm[rank-1], perm[rank-2] = perm[rank-2], perm[rank-1]
	return perm
}
