package contrib

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// projected returns the attention of queries, keys and values. The past, if any, has earlier keys and values along
// its first axis.
func projected(b *ir.Builder, n *ir.Node, qkv []*ir.Value, mask, past, bias *ir.Value) ([]*ir.Value, error) {
	a := attention{b: b, n: n, q: qkv[0], k: qkv[1], v: qkv[2], heads: n.Int("num_heads")}
	if past != nil {
		a.pastK = b.OpA("Gather", op.Attrs("axis", 0), past, b.Scalar(tensor.Int64, 0))
		a.pastV = b.OpA("Gather", op.Attrs("axis", 0), past, b.Scalar(tensor.Int64, 1))
	}
	if err := a.mask(mask, bias); err != nil {
		return nil, err
	}
	out := a.attend()
	if n.Res(1) != nil {
		out[1] = b.OpA("Concat", op.Attrs("axis", 0), b.Op("Unsqueeze", out[1], b.Ints(0)), b.Op("Unsqueeze", out[2], b.Ints(0)))
	}
	return out[:2], nil
}

// attention collects the operands and settings of ONNX's Attention for one node.
type attention struct {
	b              *ir.Builder
	n              *ir.Node
	q, k, v        *ir.Value
	pastK, pastV   *ir.Value
	heads, kvHeads int       // kvHeads is 0 if it equals heads
	allow          *ir.Value // the mask or the bias of the scores, or nil
	window         int       // tokens that a query sees, its own among them; 0 for all
	causal         bool
}

// attend returns the result, and the keys and values including the past ones.
func (a *attention) attend() []*ir.Value {
	attrs := given(a.n, "scale", "softcap")
	if a.n.Float("scale") == 0 {
		attrs.Delete("scale")
	}
	if len(op.Shape(a.q)) == 3 {
		attrs.Set("q_num_heads", int64(a.heads))
		kv := a.kvHeads
		if kv == 0 {
			kv = a.heads
		}
		attrs.Set("kv_num_heads", int64(kv))
	}
	if a.causal || a.n.Int("unidirectional") != 0 {
		attrs.Set("is_causal", int64(1))
	}
	if a.window > 0 {
		attrs.Set("left_window_size", int64(a.window-1))
	}
	return slices.Clone(a.b.OpN("Attention", 3, attrs, a.q, a.k, a.v, a.allow, a.pastK, a.pastV))
}

// mask combines a mask of the keys, and a bias of the scores, into ONNX's single operand. The mask has a flag
// for each key, a flag for each query and key, or the number of valid keys.
func (a *attention) mask(keys, bias *ir.Value) error {
	if err := a.b.Err(); err != nil {
		return err
	}
	a.allow = bias
	if keys == nil {
		return nil
	}
	b := a.b
	var allow *ir.Value
	switch s := op.Shape(keys); {
	case len(s) == 2:
		allow = b.Op("Unsqueeze", op.Cast(b, keys, tensor.Bool), b.Ints(1, 2))
	case len(s) == 3:
		allow = b.Op("Unsqueeze", op.Cast(b, keys, tensor.Bool), b.Ints(1))
	case len(s) == 1 && op.MayEqual(s[0], op.Shape(a.q)[0]):
		allow = a.firstKeys(keys)
	default:
		return fmt.Errorf("mask %q is %s, want [batch, keys], [batch, queries, keys] or [batch]", keys.Name, keys.Type)
	}
	if bias != nil {
		filter := op.ScalarLike(b, bias, a.n.Float("mask_filter_value"))
		allow = b.Op("Where", allow, bias, filter)
	}
	a.allow = allow
	return nil
}

// firstKeys returns the mask that allows each sequence of the batch its first keys, as many as counts says.
func (a *attention) firstKeys(counts *ir.Value) *ir.Value {
	b := a.b
	total := op.SizeOf(b, a.k, len(op.Shape(a.k))-2)
	if a.pastK != nil {
		total = b.Op("Add", total, op.SizeOf(b, a.pastK, 2))
	}
	at := b.Op("Unsqueeze", countFrom(b, b.Ints(0), total), b.Ints(0))
	allow := b.Op("Less", at, b.Op("Unsqueeze", op.CastTo(b, counts, tensor.Int64), b.Ints(1)))
	return b.Op("Unsqueeze", allow, b.Ints(1, 2))
}

// swapHeads returns x, [batch, a, b, size], with its two middle axes exchanged.
func swapHeads(b *ir.Builder, x *ir.Value) *ir.Value {
	return b.OpA("Transpose", op.Attrs("perm", []int{0, 2, 1, 3}), x)
}

// checkHeads returns an error if attributes with numbers of heads are not numbers of elements.
func checkHeads(n *ir.Node, attrs ...string) error {
	for _, a := range attrs {
		if k := n.Int(a); k < 1 || k > op.MaxSize {
			return fmt.Errorf("%s is %d, want 1 to %d", a, k, op.MaxSize)
		}
	}
	return nil
}
