package train

import (
	"fmt"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/dataset"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestFit shows what becomes of examples at a port.
func TestFit(t *testing.T) {
	for _, c := range []struct {
		src  *tensor.Tensor // with an axis for the examples
		elem tensor.DType
		dims []string
		want string
	}{
		{tensor.New(tensor.Float32, 2, 28, 28), tensor.Float32, []string{"n", "1", "28", "28"}, "float32[2 1 28 28]"},
		{tensor.New(tensor.Float32, 2, 28, 28), tensor.Float32, []string{"n", "784"}, "float32[2 784]"},
		{tensor.New(tensor.Float32, 2, 4), tensor.Float32, []string{"n", "width"}, "float32[2 4]"},
		{tensor.New(tensor.Int64, 2, 4), tensor.Int64, []string{"8"}, "x takes int64[8], the data give 8 of int64[4]"},
		{tensor.New(tensor.Int64, 2, 4), tensor.Int64, []string{"n*4"}, "int64[8]"},
		{tensor.New(tensor.Float32, 2, 3), tensor.Float32, []string{"n", "2"}, "x takes float32[n,2], the data give 1 of float32[3]"},
		{tensor.New(tensor.Float32, 2, 3), tensor.Float32, []string{"n", "a", "b"}, "x takes float32[n,a,b], the data give 1 of float32[3]"},
		{tensor.Of([]float32{1, 2}, 2), tensor.Float16, []string{"n"}, "float16[2] [15360 16384]"},
		{tensor.Of([]int64{1, -2}, 2), tensor.Int32, []string{"n"}, "int32[2] [1 -2]"},
		{tensor.Of([]int64{1, 0}, 2), tensor.Float32, []string{"n", "3"}, "float32[2 3] [0 1 0 1 0 0]"},
		{tensor.Of([]float32{1, 3}, 2), tensor.Float32, []string{"n", "3"}, "label 3, want a class from 0 to 2"},
		{tensor.Of([]float32{1, 2}, 2), tensor.String, []string{"n"}, "data cannot become string"},
	} {
		got, err := fitted(c.src, runtime.Port{Name: "x", Elem: c.elem, Dims: c.dims})
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%v as %v%v: got %s, want %s", c.src, c.elem, c.dims, got, c.want)
		}
	}
}

func fitted(src *tensor.Tensor, port runtime.Port) (string, error) {
	f, err := fit(dataset.Spec{DType: src.DType, Shape: src.Shape[1:]}, port)
	if err != nil {
		return "", err
	}
	dst, err := f.tensor(src.Shape[0], src)
	if err != nil {
		return "", err
	}
	if err := f.convert(dst, src); err != nil || dst.DType == src.DType && f.oneHot == 0 {
		return dst.String(), err
	}
	return fmt.Sprint(dst, dst.Data), nil
}

func TestCountHits(t *testing.T) {
	for _, c := range []struct {
		out, labels  *tensor.Tensor
		hits, judged int
	}{
		{tensor.Of([]float32{1, 2, 3, 0}, 2, 2), tensor.Of([]int64{1, 1}, 2), 1, 2},
		{tensor.Of([]float32{1, 2, 3, 0}, 2, 2), tensor.Of([]int64{1, -100}, 2), 1, 1},
		{tensor.Of([]float32{0, 1, 9, 0, 2, 1}, 1, 2, 3), tensor.Of([]int64{0, 0, 0}, 1, 3), 2, 3}, // classes behind the batch
		{tensor.Of([]float32{0, 1, 9, 0, 2, 1}, 1, 3, 2), tensor.Of([]int32{1, 0, 0}, 1, 3), 3, 3}, // classes last
		{tensor.Of([]float32{1, 2}, 2), tensor.Of([]int64{1, 1}, 2), 0, 0},
	} {
		if hits, judged := countHits(c.out, c.labels, c.labels.Len()); hits != c.hits || judged != c.judged {
			t.Errorf("%v, %v: %d of %d, want %d of %d", c.out, c.labels, hits, judged, c.hits, c.judged)
		}
	}
}
