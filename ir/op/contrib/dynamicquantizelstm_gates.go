package contrib

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// byteGates are weights as a DynamicLSTM has them.
type byteGates struct{ weights, scales, sums, shifts *tensor.Tensor }

// readByteGates reads input i of n as weights of shape [directions, inputs, gates]. Their scales and zero
// points, for each direction or each gate, are the inputs from scale on. It is not ok if they are not
// constants of matching shapes.
func readByteGates(n *ir.Node, i, scale int) (g *byteGates, ok bool) {
	w, s, z := n.In[i], n.In[scale], n.In[scale+1]
	if !w.IsConst() || !elem.Bytes.Has(w.Type.Elem) || !s.IsConst() || s.Type.Elem != tensor.Float32 || !z.IsConst() || z.Type.Elem != w.Type.Elem {
		return nil, false
	}
	shape := w.Const.Shape
	directions, k, gates := shape[0], shape[1], shape[2]
	scales, zeros := tensor.Data[float32](s.Const), tensor.Data[int8](op.SignedBytes(z).Const)
	each := len(scales) == directions*gates
	if len(zeros) != len(scales) || !each && len(scales) != directions {
		return nil, false
	}
	from := tensor.Data[int8](op.SignedBytes(w).Const)
	weights, sums := make([]int8, len(from)), make([]int32, directions*gates)
	out, shifts := make([]float32, directions*gates), make([]int32, directions*gates)
	for j := range sums {
		d, c := j/gates, j%gates
		p := d
		if each {
			p = j
		}
		out[j], shifts[j] = scales[p], int32(zeros[p])
		for l := range k {
			v := from[(d*k+l)*gates+c]
			weights[j*k+l] = v
			sums[j] += int32(v) - shifts[j]
		}
	}
	row := []int{directions, gates}
	return &byteGates{tensor.Of(weights, directions, gates, k), tensor.Of(out, row...), tensor.Of(sums, row...), tensor.Of(shifts, row...)}, true
}
