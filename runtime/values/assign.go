package values

import (
	"fmt"
	"math"
	"strings"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// A Dim is one axis of an input: a fixed size, or a variable for the size of the value.
type Dim struct {
	Size int
	Sym  *int
}

// Fixed is a [Dim] of size n.
func Fixed(n int) Dim { return Dim{Size: n} }

// Varies is a [Dim] whose size is stored in p.
func Varies(p *int) Dim { return Dim{Sym: p} }

// Assign sets *dst to the elements of v. It returns an error unless v is a tensor of the right type and shape.
func Assign[T tensor.Element](dst *[]T, v tensor.Value, dims ...Dim) error {
	t, ok := v.(*tensor.Tensor)
	if !ok {
		return fmt.Errorf("got %s, want a tensor", describe(v))
	}
	want := tensor.DTypeOf[T]()
	if t.DType != want || len(t.Shape) != len(dims) {
		return fmt.Errorf("got %s, want %s", t, wanted(want, dims))
	}
	for i, d := range dims {
		if d.Sym == nil && d.Size != t.Shape[i] {
			return fmt.Errorf("got %s, want %s", t, wanted(want, dims))
		}
	}
	for i, d := range dims {
		if d.Sym != nil {
			*d.Sym = t.Shape[i]
		}
	}
	*dst = tensor.Data[T](t)
	return nil
}

func describe(v tensor.Value) string {
	switch v.(type) {
	case nil:
		return "nothing"
	case *tensor.Sequence:
		return "a sequence"
	case *tensor.Optional:
		return "an optional"
	case *tensor.Map:
		return "a map"
	}
	return "a tensor"
}

func wanted(d tensor.DType, dims []Dim) string {
	s := make([]string, len(dims))
	for i, x := range dims {
		s[i] = "?"
		if x.Sym == nil {
			s[i] = fmt.Sprint(x.Size)
		}
	}
	return d.String() + "[" + strings.Join(s, ",") + "]"
}

// CheckLen returns an error if an input does not have the number of elements of its shape.
func CheckLen(input string, got, want int, typ string) error {
	if got == want {
		return nil
	}
	return fmt.Errorf("input %s has %d elements, want %d: %s", input, got, want, typ)
}

// CheckSize returns an error for a size that no axis can have. The product of several such sizes could seem
// valid.
func CheckSize(field string, n int) error {
	if n < 0 || n > math.MaxInt32 {
		return fmt.Errorf("%s is %d, want 0 to %d", field, n, math.MaxInt32)
	}
	return nil
}

// AssignSequence sets *dst to the sequence v.
func AssignSequence(dst **tensor.Sequence, v tensor.Value) error {
	s, ok := v.(*tensor.Sequence)
	if !ok {
		return fmt.Errorf("got %s, want a sequence", describe(v))
	}
	*dst = s
	return nil
}

// AssignOptional sets *dst to the optional v. A value of another type becomes the content of an optional.
func AssignOptional(dst **tensor.Optional, v tensor.Value) error {
	if o, ok := v.(*tensor.Optional); ok {
		*dst = o
		return nil
	}
	*dst = &tensor.Optional{Value: v}
	return nil
}

// AssignMap sets *dst to the map v, after checking the types of its keys and values.
func AssignMap(dst **tensor.Map, v tensor.Value, key, value tensor.DType) error {
	m, ok := v.(*tensor.Map)
	if !ok {
		return fmt.Errorf("got %s, want a map", describe(v))
	}
	if m.Keys.DType != key || m.Values.DType != value {
		return fmt.Errorf("got %v, want map(%v,%v)", m, key, value)
	}
	*dst = m
	return nil
}
