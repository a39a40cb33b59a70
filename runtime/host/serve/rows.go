package serve

import (
	"slices"
	"strconv"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// isFixed reports whether a dimension is a number.
func isFixed(dim string) bool {
	_, err := strconv.Atoi(dim)
	return err == nil
}

// sizes converts dimensions to numbers; varying ones are free.
func sizes(dims []string, free int) []int {
	shape := make([]int, len(dims))
	for i, d := range dims {
		n, err := strconv.Atoi(d)
		if err != nil {
			n = free
		}
		shape[i] = n
	}
	return shape
}

// sameRows reports whether the tensors of two requests differ only in their number of rows.
func sameRows(a, b []tensor.Value) bool {
	return slices.EqualFunc(a, b, func(a, b tensor.Value) bool {
		return slices.Equal(a.(*tensor.Tensor).Shape[1:], b.(*tensor.Tensor).Shape[1:])
	})
}

// joined returns the inputs of all jobs, stacked along the first axis.
func joined(jobs []*job) []tensor.Value {
	if len(jobs) == 1 {
		return jobs[0].inputs
	}
	inputs := make([]tensor.Value, len(jobs[0].inputs))
	for i := range inputs {
		parts := make([]*tensor.Tensor, len(jobs))
		for k, j := range jobs {
			parts[k] = j.inputs[i].(*tensor.Tensor)
		}
		inputs[i] = stack(parts)
	}
	return inputs
}

// stack concatenates tensors along the first axis.
func stack(parts []*tensor.Tensor) *tensor.Tensor {
	shape := slices.Clone(parts[0].Shape)
	shape[0] = 0
	for _, p := range parts {
		shape[0] += p.Shape[0]
	}
	t := tensor.New(parts[0].DType, shape...)
	at := 0
	for _, p := range parts {
		copyElements(t, at, p, 0, p.Len())
		at += p.Len()
	}
	return t
}

// rowsOf returns a copy of n rows of a tensor.
func rowsOf(t *tensor.Tensor, at, n int) *tensor.Tensor {
	shape := slices.Clone(t.Shape)
	shape[0] = n
	rows := tensor.New(t.DType, shape...)
	if n > 0 {
		each := rows.Len() / n
		copyElements(rows, 0, t, at*each, n*each)
	}
	return rows
}

// copyElements copies n elements from one tensor to another of its type.
func copyElements(dst *tensor.Tensor, to int, src *tensor.Tensor, from, n int) {
	if dst.DType == tensor.String {
		copy(tensor.Data[string](dst)[to:], tensor.Data[string](src)[from:from+n])
		return
	}
	size := dst.DType.Size()
	copy(dst.Bytes()[to*size:], src.Bytes()[from*size:(from+n)*size])
}
