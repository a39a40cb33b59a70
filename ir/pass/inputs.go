package pass

// Positions of inputs that patterns read, for operators with more than two. A test compares them with the
// schemas.
const (
	inBias     = 2 // of Conv, FusedConv, Gemm, FusedMatMul, LayerNormalization
	inResidual = 3 // of FusedConv, FusedMatMul

	inZero = 2 // the zero point of QuantizeLinear, DequantizeLinear

	// QMatMul and QConv
	inSumsAdd   = 2
	inSumsMult  = 3
	inSumsShift = 4

	// QLinearMatMul and QLinearConv; the bias is that of QLinearConv
	inXZero      = 2
	inW          = 3
	inWScale     = 4
	inWZero      = 5
	inYScale     = 6
	inLinearBias = 8

	// Where
	inCondition = 0
	inThen      = 1
	inElse      = 2

	inMax = 2 // of Clip

	// Pad
	inPadValue = 2
	inPadAxes  = 3

	inValues = 2 // the V of Attention
)
