package cpu

import "github.com/bbgen/bbgen/runtime/tensor"

// Floats of 16 bits. They are rounded to nearest even, with the same bits at every level. A NaN remains a
// NaN, but may become quiet.

// halfTask converts a long vector. A turn is a run of elements. One of the slices of halves is set.
type halfTask struct {
	widen bool
	wide  []float32
	f16   []tensor.F16
	bf16  []tensor.BF16
}

var halfTasks freelist[halfTask]

// halves converts the halves to wide, or the other way round, on several threads if that is faster.
func halves(wide []float32, f16 []tensor.F16, bf16 []tensor.BF16, widen bool) {
	t := halfTasks.get()
	*t = halfTask{widen, wide, f16, bf16}
	parallel((len(wide)+vecTurn-1)/vecTurn, len(wide)/2, t)
	*t = halfTask{}
	halfTasks.put(t)
}

func (t *halfTask) run(i int) {
	lo, hi := i*vecTurn, min((i+1)*vecTurn, len(t.wide))
	wide := t.wide[lo:hi]
	switch {
	case t.f16 != nil && t.widen:
		fromF16(wide, t.f16[lo:hi])
	case t.f16 != nil:
		toF16(t.f16[lo:hi], wide)
	case t.widen:
		fromBF16(wide, t.bf16[lo:hi])
	default:
		toBF16(t.bf16[lo:hi], wide)
	}
}

func fromF16Go(dst []float32, x []tensor.F16) {
	for i, v := range x[:len(dst)] {
		dst[i] = v.Float32()
	}
}

func fromBF16Go(dst []float32, x []tensor.BF16) {
	for i, v := range x[:len(dst)] {
		dst[i] = v.Float32()
	}
}

func toF16Go(dst []tensor.F16, x []float32) {
	for i, v := range x[:len(dst)] {
		dst[i] = tensor.ToFloat16(v)
	}
}

func toBF16Go(dst []tensor.BF16, x []float32) {
	for i, v := range x[:len(dst)] {
		dst[i] = tensor.ToBFloat16(v)
	}
}
