package ir

import (
	"crypto/sha256"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// MaxPrinted is the largest number of elements of a constant that the text form prints in full.
const MaxPrinted = 64

// attrs returns the text {alpha = 0.5, transB = 1}.
func (p *printer) attrs(attrs Attrs) string {
	items := make([]string, len(attrs))
	for i, a := range attrs {
		items[i] = quoteName(a.Name) + " = " + p.attr(a.Value)
	}
	return "{" + strings.Join(items, ", ") + "}"
}

func (p *printer) attr(v any) string {
	switch v := v.(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return attrFloat(v)
	case string:
		return strconv.Quote(v)
	case Ref:
		return "$" + quoteName(string(v))
	case Type:
		return "type " + v.String()
	case *tensor.Tensor:
		return p.literal(Type{}, v)
	case []int64:
		return list("", v, func(x int64) string { return p.attr(x) })
	case []float64:
		return list("floats", v, attrFloat)
	case []string:
		return list("strings", v, strconv.Quote)
	case []*tensor.Tensor:
		return "tensors " + list("", v, func(t *tensor.Tensor) string { return p.literal(Type{}, t) })
	}
	return fmt.Sprintf("<%T>", v)
}

// list returns the text [1, 2]; an empty list is preceded by its element kind.
func list[T any](kind string, vs []T, f func(T) string) string {
	if len(vs) == 0 && kind != "" {
		return kind + " []"
	}
	items := make([]string, len(vs))
	for i, v := range vs {
		items[i] = f(v)
	}
	return "[" + strings.Join(items, ", ") + "]"
}

// attrFloat returns the text of a float that does not look like an integer. Attributes of files are float32;
// a value that is not exactly representable has the suffix f64.
func attrFloat(v float64) string {
	if float64(float32(v)) != v && !math.IsNaN(v) {
		return floatText(v, 64) + "f64"
	}
	s := floatText(v, 32)
	if strings.ContainsAny(s, ".eIN") {
		return s
	}
	return s + ".0"
}

// floatText returns the shortest text that parses as v.
//
// NB: a NaN loses its sign and payload.
func floatText(v float64, bits int) string {
	if math.IsInf(v, 1) {
		return "Inf"
	}
	return strconv.FormatFloat(v, 'g', -1, bits)
}

// literal returns the content of t: [1, 2], preceded by its type unless the context implies it.
func (p *printer) literal(context Type, t *tensor.Tensor) string {
	if t == nil {
		return "<nil>"
	}
	head := ""
	if typ := TensorOf(t.DType, Cs(t.Shape...)...); !context.Equal(typ) {
		head = typ.String() + " "
	}
	if err := CheckTensor(t); err != nil {
		return fmt.Sprintf("%s<%v>", head, err)
	}
	text := elementPrinter(t)
	if t.Len() > MaxPrinted {
		return head + p.elision(t, text)
	}
	return head + nested(t.Shape, t.Len(), text)
}

// maxNested is the largest rank of tensors with rows that are printed in brackets.
const maxNested = 8

// nested returns the elements in brackets, one pair for each row. A tensor without elements, or with too many
// axes, has one pair.
func nested(shape []int, n int, text func(i int) string) string {
	if len(shape) == 0 {
		return text(0)
	}
	if n == 0 || len(shape) > maxNested {
		shape = []int{n}
	}
	items := make([]string, shape[0])
	for i := range items {
		step := n / shape[0]
		items[i] = nested(shape[1:], step, func(k int) string { return text(i*step + k) })
	}
	return "[" + strings.Join(items, ", ") + "]"
}

// elision returns the text for content that is too long: <sha256:0123456789ab 4096 elements>.
func (p *printer) elision(t *tensor.Tensor, text func(i int) string) string {
	sum, ok := p.m.elided[t]
	if !ok {
		h := sha256.New()
		h.Write(t.Bytes())
		if t.DType == tensor.String {
			for i := range t.Len() {
				fmt.Fprintln(h, text(i))
			}
		}
		sum = fmt.Sprintf("%x", h.Sum(nil)[:6])
	}
	return fmt.Sprintf("<sha256:%s %d elements>", sum, t.Len())
}

// ElementText returns the text of element i of t, as in the text form of a constant.
func ElementText(t *tensor.Tensor, i int) string { return elementPrinter(t)(i) }

// elementPrinter returns a function that returns the text of t's element at a position.
func elementPrinter(t *tensor.Tensor) func(i int) string {
	switch d := t.Data.(type) {
	case []float32:
		return func(i int) string { return floatText(float64(d[i]), 32) }
	case []float64:
		return func(i int) string { return floatText(d[i], 64) }
	case []bool:
		return func(i int) string { return strconv.FormatBool(d[i]) }
	case []string:
		return func(i int) string { return strconv.Quote(d[i]) }
	case []complex64:
		return func(i int) string { return complexText(complex128(d[i]), 32) }
	case []complex128:
		return func(i int) string { return complexText(d[i], 64) }
	case []int8:
		return intPrinter(d)
	case []int16:
		return intPrinter(d)
	case []int32:
		return intPrinter(d)
	case []int64:
		return intPrinter(d)
	case []uint8:
		return intPrinter(d)
	case []uint16:
		return intPrinter(d)
	case []uint32:
		return intPrinter(d)
	case []uint64:
		return intPrinter(d)
	case []tensor.I2:
		return intPrinter(d)
	case []tensor.I4:
		return intPrinter(d)
	case []tensor.U2:
		return intPrinter(d)
	case []tensor.U4:
		return intPrinter(d)
	case []tensor.F16:
		return smallFloatPrinter(d)
	case []tensor.BF16:
		return smallFloatPrinter(d)
	case []tensor.F8E4M3FN:
		return smallFloatPrinter(d)
	case []tensor.F8E4M3FNUZ:
		return smallFloatPrinter(d)
	case []tensor.F8E5M2:
		return smallFloatPrinter(d)
	case []tensor.F8E5M2FNUZ:
		return smallFloatPrinter(d)
	case []tensor.F8E8M0:
		return smallFloatPrinter(d)
	case []tensor.F4E2M1:
		return smallFloatPrinter(d)
	}
	panic("BUG: no elements of " + t.DType.String())
}

func intPrinter[T ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64](d []T) func(i int) string {
	return func(i int) string { return fmt.Sprint(d[i]) }
}

func smallFloatPrinter[T interface{ Float32() float32 }](d []T) func(i int) string {
	return func(i int) string { return floatText(float64(d[i].Float32()), 32) }
}

// complexText returns the text (1, -2): the real and the imaginary part.
func complexText(c complex128, bits int) string {
	return "(" + floatText(real(c), bits) + ", " + floatText(imag(c), bits) + ")"
}
