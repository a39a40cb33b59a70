package signal

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [MelWeightMatrix].
const (
	melWeightMatrixNumMelBins = iota
	melWeightMatrixDftLength
	melWeightMatrixSampleRate
	melWeightMatrixLowerEdgeHertz
	melWeightMatrixUpperEdgeHertz
)

// MelWeightMatrix weights the bins of a spectrum, a row each, for overlapping
// triangular bands that are equally wide on the mel scale, a column each.
//
// https://onnx.ai/onnx/operators/onnx__MelWeightMatrix.html
var MelWeightMatrix = &op.Op{
	Name:  "MelWeightMatrix",
	Since: []int{17},
	Attrs: []op.Attr{{Name: "output_datatype", Kind: op.Int, Default: 1}},
	Inputs: []op.Port{
		melWeightMatrixNumMelBins:     {Name: "num_mel_bins", Types: elem.Indices},
		melWeightMatrixDftLength:      {Name: "dft_length", Like: "num_mel_bins"},
		melWeightMatrixSampleRate:     {Name: "sample_rate", Like: "num_mel_bins"},
		melWeightMatrixLowerEdgeHertz: {Name: "lower_edge_hertz", Types: elem.Floats},
		melWeightMatrixUpperEdgeHertz: {Name: "upper_edge_hertz", Like: "lower_edge_hertz"},
	},
	Outputs: []op.Port{{Name: "output", Types: elem.Numbers}},
	Infer:   inferMelWeightMatrix,
	Lower:   lowerMelWeightMatrix,
	Expand:  expandOutput,
	Expands: smallOutput,
	Widen:   true,
	Stops:   op.StopNoInputs,
}

func inferMelWeightMatrix(c *op.Infer) error {
	dtype, err := outputType(c.Node)
	if err != nil {
		return err
	}
	for i, want := range []elem.Set{elem.Indices, elem.Indices, elem.Indices, elem.Floats, elem.Floats} {
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
	c.OutTensor(0, dtype, length.Div(ir.C(2)).Add(ir.C(1)), bands)
	return nil
}

func lowerMelWeightMatrix(l *op.Lowering) error {
	k := countLength(l, 0, 0, op.Shape(l.Out[0])[1])
	countLength(l, k, 1, op.Shape(l.Out[0])[0])
	l.Call("MelWeightMatrix", l.Out[0], l.In[melWeightMatrixNumMelBins], l.In[melWeightMatrixDftLength], l.In[melWeightMatrixSampleRate], l.In[melWeightMatrixLowerEdgeHertz], l.In[melWeightMatrixUpperEdgeHertz])
	return nil
}
