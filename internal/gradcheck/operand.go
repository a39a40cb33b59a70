package gradcheck

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// An operand is one value of a case: an input, or a constant.
type operand struct {
	kind   string
	shape  []int
	values []float64
}

var operandSyntax = regexp.MustCompile(`^([a-z]+\d*)\[([\d,]*)\](?:=(.*))?$`)

func parseOperand(s string) (operand, error) {
	if s == "_" {
		return operand{}, nil
	}
	p := operandSyntax.FindStringSubmatch(s)
	if p == nil {
		return operand{}, fmt.Errorf("%q is no operand", s)
	}
	o := operand{kind: p[1], shape: []int{}}
	for _, f := range numbers(p[2]) {
		o.shape = append(o.shape, int(f))
	}
	o.values = numbers(p[3])
	return o, nil
}

func numbers(s string) []float64 {
	var out []float64
	for f := range strings.SplitSeq(s, ",") {
		if v, err := strconv.ParseFloat(f, 64); err == nil {
			out = append(out, v)
		}
	}
	return out
}

func (o operand) input() bool {
	return slices.Contains([]string{"x", "pos", "unit", "big", "single"}, o.kind)
}

// random returns float64 data whose elements have a distance from 0 and from each other.
func (o operand) random(r *rand.Rand) *tensor.Tensor {
	t := tensor.New(tensor.Float64, o.shape...)
	d := tensor.Data[float64](t)
	if o.values != nil {
		copy(d, o.values)
		return t
	}
	lo, hi, signed := 0.3, 1.7, true
	switch o.kind {
	case "pos":
		signed = false
	case "unit":
		lo, hi = 0.1, 0.9
	case "big":
		lo, hi, signed = 1.2, 2.6, false
	}
	for i, k := range r.Perm(len(d)) {
		d[i] = lo + (hi-lo)*(float64(k)+0.25+r.Float64()/2)/float64(len(d))
		if signed && r.IntN(2) == 0 {
			d[i] = -d[i]
		}
	}
	return t
}

func (o operand) constant() *tensor.Tensor {
	types := map[string]tensor.DType{"i": tensor.Int64, "i32": tensor.Int32, "b": tensor.Bool, "c": tensor.Float64, "f": tensor.Float32, "q": tensor.Uint8}
	t := tensor.New(types[o.kind], o.shape...)
	for i := range t.Len() {
		v := o.values[min(i, len(o.values)-1)]
		switch d := t.Data.(type) {
		case []int64:
			d[i] = int64(v)
		case []int32:
			d[i] = int32(v)
		case []bool:
			d[i] = v != 0
		case []uint8:
			d[i] = uint8(v)
		case []float64:
			d[i] = v
		case []float32:
			d[i] = float32(v)
		}
	}
	return t
}
