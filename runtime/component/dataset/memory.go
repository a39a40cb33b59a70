package dataset

import (
	"fmt"
	"math"
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// memory is a source whose examples are the rows of tensors.
type memory struct {
	x, y rows
	more []rows
}

// rows is a tensor with the type in which its rows are read.
type rows struct {
	t     *tensor.Tensor
	dtype tensor.DType
	size  int     // elements of a row
	div   float32 // the divisor of floats
}

// NewMemory returns a source whose examples are the rows of x and y, read as floats (float32) or integers
// (int64). Bytes that are read as floats are divided by 255.
func NewMemory(x, y *tensor.Tensor, asX, asY tensor.DType) (DataSource, error) {
	xs, err := newRows(x, asX, 255)
	if err != nil {
		return nil, fmt.Errorf("features: %w", err)
	}
	ys, err := newRows(y, asY, 1)
	if err != nil {
		return nil, fmt.Errorf("labels: %w", err)
	}
	if x.Shape[0] != y.Shape[0] {
		return nil, fmt.Errorf("features of %d examples, labels of %d", x.Shape[0], y.Shape[0])
	}
	return &memory{x: xs, y: ys}, nil
}

func newRows(t *tensor.Tensor, as tensor.DType, bytesDiv float32) (rows, error) {
	r := rows{t: t, dtype: as, div: 1}
	if len(t.Shape) == 0 {
		return r, fmt.Errorf("%v is no list of examples", t)
	}
	if as != tensor.Float32 && as != tensor.Int64 {
		return r, fmt.Errorf("read as %v, want float32 or int64", as)
	}
	switch t.Data.(type) {
	case []uint8:
		r.div = bytesDiv
	case []float32, []float64:
		if as == tensor.Int64 {
			if err := wholeNumbers(t); err != nil {
				return r, err
			}
		}
	case []uint64:
		if as == tensor.Int64 {
			if err := signed(t); err != nil {
				return r, err
			}
		}
	case []bool, []int8, []int16, []uint16, []int32, []uint32, []int64:
	default:
		return r, fmt.Errorf("%v, want float32, float64, integers of at least 8 bits or bools", t)
	}
	r.size = r.spec().Len()
	return r, nil
}

// wholeNumbers returns an error for floats that are no integers of 64 bits.
func wholeNumbers(t *tensor.Tensor) error {
	i := -1
	switch d := t.Data.(type) {
	case []float32:
		i = slices.IndexFunc(d, func(v float32) bool { return !isInt64(float64(v)) })
	case []float64:
		i = slices.IndexFunc(d, func(v float64) bool { return !isInt64(v) })
	}
	if i >= 0 {
		return fmt.Errorf("%v with a fraction at element %d, want whole numbers", t, i)
	}
	return nil
}

// isInt64 reports whether v is an integer of 64 bits. The range is compared, because what becomes of a float beyond
// it depends on the processor.
func isInt64(v float64) bool { return v >= -1<<63 && v < 1<<63 && v == math.Trunc(v) }

// signed returns an error for numbers that int64 does not have.
func signed(t *tensor.Tensor) error {
	i := slices.IndexFunc(tensor.Data[uint64](t), func(v uint64) bool { return v > math.MaxInt64 })
	if i >= 0 {
		return fmt.Errorf("%v with %d at element %d, want at most %d", t, tensor.Data[uint64](t)[i], i, int64(math.MaxInt64))
	}
	return nil
}

func (r *rows) spec() Spec { return Spec{r.dtype, r.t.Shape[1:]} }

// copy writes the rows with these numbers to dst.
func (r *rows) copy(dst *tensor.Tensor, indices []int) {
	switch src := r.t.Data.(type) {
	case []bool:
		copyBools(r, dst, src, indices)
	case []uint8:
		copyRows(r, dst, src, indices)
	case []int8:
		copyRows(r, dst, src, indices)
	case []int16:
		copyRows(r, dst, src, indices)
	case []uint16:
		copyRows(r, dst, src, indices)
	case []int32:
		copyRows(r, dst, src, indices)
	case []uint32:
		copyRows(r, dst, src, indices)
	case []int64:
		copyRows(r, dst, src, indices)
	case []uint64:
		copyRows(r, dst, src, indices)
	case []float32:
		copyRows(r, dst, src, indices)
	case []float64:
		copyRows(r, dst, src, indices)
	}
}

func copyRows[S uint8 | int8 | int16 | uint16 | int32 | uint32 | int64 | uint64 | float32 | float64](r *rows, dst *tensor.Tensor, src []S, indices []int) {
	for k, i := range indices {
		row := src[i*r.size:][:r.size]
		switch d := dst.Data.(type) {
		case []float32:
			for j, v := range row {
				d[k*r.size+j] = float32(v) / r.div
			}
		case []int64:
			for j, v := range row {
				d[k*r.size+j] = int64(v)
			}
		}
	}
}

func copyBools(r *rows, dst *tensor.Tensor, src []bool, indices []int) {
	for k, i := range indices {
		for j, v := range src[i*r.size:][:r.size] {
			n := 0
			if v {
				n = 1
			}
			switch d := dst.Data.(type) {
			case []float32:
				d[k*r.size+j] = float32(n)
			case []int64:
				d[k*r.size+j] = int64(n)
			}
		}
	}
}

func (m *memory) Len() int       { return m.x.t.Shape[0] }
func (m *memory) Features() Spec { return m.x.spec() }
func (m *memory) Labels() Spec   { return m.y.spec() }

func (m *memory) Batch(indices []int, x, y *tensor.Tensor) error {
	if err := checkBatch(m, indices, x, y); err != nil {
		return err
	}
	m.x.copy(x, indices)
	m.y.copy(y, indices)
	return nil
}
