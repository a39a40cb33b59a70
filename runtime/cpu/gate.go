package cpu

import "math"

// Gate is the function at the end of a gate of a recurrent layer.
type Gate struct {
	Kind        GateKind
	Alpha, Beta float64
}

// GateKind is the kind of a function.
type GateKind uint8

// The functions of x that a gate may apply.
const (
	GateSigmoid         GateKind = iota
	GateTanh                     // tanh(x)
	GateRelu                     // max(x, 0)
	GateAffine                   // alpha·x + beta
	GateLeakyRelu                // x, or alpha·x below 0
	GateThresholdedRelu          // x, or 0 below alpha
	GateScaledTanh               // alpha·tanh(beta·x)
	GateHardSigmoid              // max(0, min(1, alpha·x+beta))
	GateElu                      // x, or alpha·(exp(x)-1) below 0
	GateSoftsign                 // x/(1+|x|)
	GateSoftplus                 // log(1+exp(x))
)

// applyGate is dst[i] = g(x[i]), where x is clipped to [-clip, clip] unless clip is 0.
func applyGate[T Float](g Gate, dst, x []T, clip float64) {
	if clip > 0 {
		c := T(clip)
		for i, v := range x[:len(dst)] {
			dst[i] = max(-c, min(c, v))
		}
		x = dst
	}
	switch g.Kind {
	case GateSigmoid:
		Sigmoid(dst, x)
	case GateTanh:
		Tanh(dst, x)
	case GateRelu:
		Relu(dst, x)
	case GateAffine:
		scaleShift(dst, x, T(g.Alpha), T(g.Beta))
	case GateLeakyRelu:
		LeakyRelu(dst, x, g.Alpha)
	case GateThresholdedRelu:
		ThresholdedRelu(dst, x, g.Alpha)
	case GateScaledTanh:
		for i, v := range x[:len(dst)] {
			dst[i] = T(g.Alpha * math.Tanh(g.Beta*float64(v)))
		}
	case GateHardSigmoid:
		HardSigmoid(dst, x, g.Alpha, g.Beta)
	case GateElu:
		Elu(dst, x, g.Alpha)
	case GateSoftsign:
		Softsign(dst, x)
	case GateSoftplus:
		Softplus(dst, x)
	}
}
