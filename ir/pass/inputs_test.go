package pass

import (
	"testing"

	"github.com/bbgen/bbgen/ir/op"
)

// TestInputs: the positions are those of the schemas.
func TestInputs(t *testing.T) {
	for _, c := range []struct {
		at            int
		domain, names string // of the operator, and of its input
		ops           []string
	}{
		{op.X, "", "X", []string{"Conv", "ConvTranspose", "BatchNormalization", "LayerNormalization", "RMSNormalization"}},
		{op.X, "", "x", []string{"QuantizeLinear", "DequantizeLinear", "QLinearConv"}},
		{op.X, "", "a", []string{"QLinearMatMul"}},
		{op.X, op.Own, "X", []string{"FusedConv"}},
		{op.X, op.Own, "x", []string{"ByteTable", "FusedAffine", "QMatMul", "QConv"}},
		{op.X, "", "data", []string{"Gather", "Pad", "ReduceMean", "ReduceMax", "ReduceSum", "Reshape", "Squeeze", "Transpose", "Unsqueeze"}},
		{op.X, "", "input", []string{"Clip", "Expand", "Flatten", "Softmax"}},
		{op.A, "", "A", []string{"Add", "Div", "Gemm", "MatMul", "Mul", "Sub"}},
		{op.B, "", "B", []string{"Add", "Div", "Gemm", "MatMul", "Mul", "Sub"}},
		{op.A, "", "X", []string{"Pow"}},
		{op.B, "", "Y", []string{"Pow"}},
		{inWeights, "", "W", []string{"Conv", "ConvTranspose"}},
		{inWeights, op.Own, "W", []string{"FusedConv"}},
		{inWeights, op.Own, "B", []string{"FusedMatMul"}},
		{inWeights, "", "B", []string{"Gemm", "MatMul"}},
		{inWeights, op.Own, "w", []string{"QMatMul"}},
		{inScale, "", "y_scale", []string{"QuantizeLinear"}},
		{inScale, "", "x_scale", []string{"DequantizeLinear"}},
		{inNormScale, "", "Scale", []string{"LayerNormalization"}},
		{inNormScale, "", "scale", []string{"RMSNormalization"}},
		{inAxes, "", "axes", []string{"ReduceMean", "ReduceMax", "ReduceSum"}},
		{inIndices, "", "indices", []string{"Gather"}},
		{inJoined, "", "inputs", []string{"Concat"}},
		{op.X, "", "data", []string{"Slice"}},
		{op.X, "", "input", []string{"Split"}},
		{op.X, "", "X", []string{"Neg"}},
		{inSliceStarts, "", "starts", []string{"Slice"}},
		{inSliceAxes, "", "axes", []string{"Slice"}},
		{inSliceSteps, "", "steps", []string{"Slice"}},
		{inShape, "", "shape", []string{"Reshape"}},
		{inXScale, "", "a_scale", []string{"QLinearMatMul"}},
		{inXScale, "", "x_scale", []string{"QLinearConv"}},
		{inMin, "", "min", []string{"Clip"}},
		{inPads, "", "pads", []string{"Pad"}},
		{inBias, "", "B", []string{"Conv", "ConvTranspose", "LayerNormalization"}},
		{inBias, "", "C", []string{"Gemm"}},
		{inBias, op.Own, "B", []string{"FusedConv"}},
		{inBias, op.Own, "bias", []string{"FusedMatMul"}},
		{inResidual, op.Own, "residual", []string{"FusedConv", "FusedMatMul"}},
		{inInto, op.Own, "into", []string{"ConvLastInto"}},
		{inBatchScale, "", "scale", []string{"BatchNormalization"}},
		{inBatchBias, "", "B", []string{"BatchNormalization"}},
		{inMean, "", "input_mean", []string{"BatchNormalization"}},
		{inVariance, "", "input_var", []string{"BatchNormalization"}},
		{inChannelScale, op.Own, "scale", []string{"FusedAffine"}},
		{inChannelShift, op.Own, "shift", []string{"FusedAffine"}},
		{inZero, "", "y_zero_point", []string{"QuantizeLinear"}},
		{inZero, "", "x_zero_point", []string{"DequantizeLinear"}},
		{inSumsAdd, op.Own, "add", []string{"QMatMul", "QConv"}},
		{inSumsMult, op.Own, "mult", []string{"QMatMul", "QConv"}},
		{inSumsShift, op.Own, "shift", []string{"QMatMul", "QConv"}},
		{inXZero, "", "a_zero_point", []string{"QLinearMatMul"}},
		{inW, "", "b", []string{"QLinearMatMul"}},
		{inWScale, "", "b_scale", []string{"QLinearMatMul"}},
		{inWZero, "", "b_zero_point", []string{"QLinearMatMul"}},
		{inYScale, "", "y_scale", []string{"QLinearMatMul", "QLinearConv"}},
		{inYZero, "", "y_zero_point", []string{"QLinearMatMul", "QLinearConv"}},
		{inXZero, "", "x_zero_point", []string{"QLinearConv"}},
		{inW, "", "w", []string{"QLinearConv"}},
		{inWScale, "", "w_scale", []string{"QLinearConv"}},
		{inWZero, "", "w_zero_point", []string{"QLinearConv"}},
		{inLinearBias, "", "B", []string{"QLinearConv"}},
		{inCondition, "", "condition", []string{"Where"}},
		{inThen, "", "X", []string{"Where"}},
		{inElse, "", "Y", []string{"Where"}},
		{inMax, "", "max", []string{"Clip"}},
		{inPadValue, "", "constant_value", []string{"Pad"}},
		{inPadAxes, "", "axes", []string{"Pad"}},
		{inQueries, "", "Q", []string{"Attention"}},
		{inValues, "", "V", []string{"Attention"}},
		{inMask, "", "attn_mask", []string{"Attention"}},
		{inDy, op.Own, "dy", []string{"SoftmaxGrad", "MaskedSoftmaxGrad"}},
		{inY, op.Own, "y", []string{"SoftmaxGrad", "MaskedSoftmaxGrad"}},
		{inTable, op.Own, "table", []string{"ByteTable"}},
	} {
		for _, name := range c.ops {
			o := op.Find(c.domain, name)
			if ports := op.PortsAt(o.Inputs, o.Newest()); c.at >= len(ports) || ports[c.at].Name != c.names {
				t.Errorf("%s: input %d is not %q", name, c.at, c.names)
			}
		}
	}
}
