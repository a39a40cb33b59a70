package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// MelWeightMatrix weights the bins of a spectrum, a row each, for overlapping
// triangular bands that are equally wide on the mel scale, a column each.
//
// https://onnx.ai/onnx/operators/onnx__MelWeightMatrix.html
var MelWeightMatrix = &Op{
	Name:  "MelWeightMatrix",
	Since: []int{17},
	Attrs: []Attr{{Name: "output_datatype", Kind: Int, Default: 1}},
	Inputs: []Port{
		{Name: "num_mel_bins", Types: indices},
		{Name: "dft_length", Like: "num_mel_bins"},
		{Name: "sample_rate", Like: "num_mel_bins"},
		{Name: "lower_edge_hertz", Types: floats},
		{Name: "upper_edge_hertz", Like: "lower_edge_hertz"},
	},
	Outputs: []Port{{Name: "output", Types: numbers}},
	Infer:   inferMelWeightMatrix,
	Lower:   lowerMelWeightMatrix,
	Expand:  expandOutput,
	Expands: smallOutput,
	Widen:   true,
	Stops:   noInputs,
}

func inferMelWeightMatrix(c *Infer) error {
	elem, err := outputType(c.Node)
	if err != nil {
		return err
	}
	for i, want := range []elemSet{indices, indices, indices, floats, floats} {
		if err := c.CheckElems(i, want); err != nil {
			return err
		}
		t, err := c.Tensor(i)
		if err != nil {
			return err
		}
		if n, ok := ir.Size(t.Shape).Const(); ok && n != 1 {
			return fmt.Errorf("input %q has %d elements, want 1", c.In[i].Name, n)
		}
	}
	bands, err := readLength(c, 0)
	if err != nil {
		return err
	}
	length, err := readLength(c, 1)
	if err != nil {
		return err
	}
	c.OutTensor(0, elem, length.Div(ir.C(2)).Add(ir.C(1)), bands)
	return nil
}

func lowerMelWeightMatrix(l *Lowering) error {
	k := countLength(l, 0, 0, Shape(l.Out[0])[1])
	countLength(l, k, 1, Shape(l.Out[0])[0])
	l.Call("MelWeightMatrix", l.Out[0], l.In[0], l.In[1], l.In[2], l.In[3], l.In[4])
	return nil
}
