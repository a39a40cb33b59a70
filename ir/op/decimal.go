package op

import (
	"strconv"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// decimals replaces numbers in the calls of a node that computes in float32 by those that the author of the
// model wrote: files store 0.1 as a float32, and kernels take a float64.
func (l *Lowering) decimals() {
	if y := l.Res(0); y == nil || y.Type.Elem != tensor.Float32 {
		return
	}
	for _, c := range l.Calls {
		for i, a := range c.Args {
			c.Args[i] = decimalArg(a)
		}
	}
}

func decimalArg(a any) any {
	switch a := a.(type) {
	case float64:
		return Decimal(a)
	case []float64:
		out := make([]float64, len(a))
		for i, x := range a {
			out[i] = Decimal(x)
		}
		return out
	case Struct:
		for i, f := range a.Fields {
			a.Fields[i].Value = decimalArg(f.Value)
		}
	}
	return a
}

// Decimal returns the decimal with the fewest digits that rounds to x in float32.
func Decimal(x float64) float64 {
	if float64(float32(x)) != x {
		return x
	}
	d, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', -1, 32), 64)
	if err != nil {
		return x
	}
	return d
}
