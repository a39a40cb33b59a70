package eval_test

import (
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestAgreements runs graphs with shapes that do not determine whether sizes agree, with inputs that do and
// that do not.
func TestAgreements(t *testing.T) {
	for _, c := range []struct {
		text     string
		fits     []int // the shape of x
		bad      []int
		complain string
	}{
		{`
func @main(%x: float32[n,3]) -> (%y) {
  const %s: int64[2] = [2, 6]
  %y = Reshape(%x, %s)
}`, []int{4, 3}, []int{8, 3}, `the elements of "x" are 24, want 12`},
		{`
func @main(%x: float32[n,3]) -> (%y) {
  const %s: int64[2] = [-1, 6]
  %r = Reshape(%x, %s)
  %y = Relu(%r)
}`, []int{4, 3}, []int{5, 3}, `the elements of "x" are 15, want 12`},
		{`
func @main(%x: float32[1,n]) -> (%y) {
  const %s: int64[1] = [1]
  %r = Squeeze(%x, %s)
  %y = Relu(%r)
}`, []int{1, 1}, []int{1, 2}, `the elements of "x" are 2, want 1`},
		{`
func @main(%x: float32[n,2,w]) -> (%y) {
  const %b: float32[2,4] = [1, 2, 3, 4, 5, 6, 7, 8]
  %r = Flatten(%x)
  %y = Gemm(%r, %b) {transB = 1}
}`, []int{3, 2, 2}, []int{1, 2, 4}, `the columns of "r" are 8, want 4`},
		{`
func @main(%x: float32[a,b]) -> (%y) {
  %y = MatMul(%x, %x)
}`, []int{2, 2}, []int{2, 3}, `the columns of "x" are 3, want 2`},
		{`
func @main(%x: float32[n,c,w]) -> (%y) {
  const %b: float32[1,2,1] = [1, 2]
  %y = Conv(%x, %b)
}`, []int{1, 2, 5}, []int{1, 4, 5}, `the channels of "y_Transpose" are 4, want 2`},
		{`
func @main(%x: float32[n,c,w]) -> (%y) {
  const %b: float32[2,1,1] = [1, 2]
  %y = ConvTranspose(%x, %b)
}`, []int{1, 2, 5}, []int{1, 4, 5}, `the channels of "y_Transpose" are 4, want 2`},
		{`
func @main(%x: float32[1,1,n]) -> (%y) {
  const %b: float32[2,1,3] = [[[1, 2, 3]], [[4, 5, 6]]]
  %y = Conv(%x, %b)
}`, []int{1, 1, 2}, []int{1, 1, 1}, `the elements of "y_last" along axis 1 are -1, want 0`},
		{`
func @main(%x: float32[a,b]) -> (%y) {
  %y = Det(%x)
}`, []int{2, 2}, []int{2, 3}, `the columns of "x" are 3, want 2`},
		{`
func @main(%x: float32[a,2]) -> (%y) {
  const %b: float32[3,2] = [[1, 2], [3, 4], [5, 6]]
  %y = SwiGLU(%x, %b)
}`, []int{3, 2}, []int{2, 2}, `the elements of "b" along axis 0 are 3, want 2`},
		{`
func @main(%x: float32[1,1,a,b]) -> (%y) {
  const %k: int64[4] = [1, 1, 1, -1]
  %grid = Reshape(%x, %k)
  %y = GridSample(%x, %grid)
}`, []int{1, 1, 1, 2}, []int{1, 1, 1, 3}, `along axis 3 are 3, want 2`},
		{`
func @main(%x: float32[a]) -> (%y, %z) {
  const %k: int64[2] = [1, 2]
  %y, %z = Split(%x, %k)
}`, []int{3}, []int{4}, `the elements of "x" along axis 0 are 4, want 3`},
		{`
func @main(%x: float32[a]) -> (%y) {
  const %v: float32[3,2] = [[1, 2], [3, 4], [5, 6]]
  %i = Cast(%x) {to = 7}
  %y = ReverseSequence(%v, %i)
}`, []int{2}, []int{3}, `the elements of "i" along axis 0 are 3, want 2`},
		{`
func @main(%x: float32[n,2,1]) -> (%y) {
  const %u: float32[2,2,1] = [[[1], [2]], [[3], [4]]]
  %y = TensorScatter(%x, %u)
}`, []int{2, 2, 1}, []int{3, 2, 1}, `the elements of "u" along axis 0 are 2, want 3`},
		{`
func @main(%x: float32[n,2,1]) -> (%y) {
  const %at: int64[1] = [0]
  %y = TensorScatter(%x, %x, %at)
}`, []int{1, 2, 1}, []int{2, 2, 1}, `the elements of "at" along axis 0 are 1, want 2`},
		{`
func @main(%x: float32[n,3]) -> (%y) {
  const %i: int64[1] = [1]
  %y = NegativeLogLikelihoodLoss(%x, %i)
}`, []int{1, 3}, []int{0, 3}, `the elements of "i" along axis 0 are 1, want 0`},
		{`
func @main(%x: float32[n,1]) -> (%y) {
  const %b: float32[2,1] = [[1], [2]]
  %y = Concat(%x, %b) {axis = 1}
}`, []int{2, 1}, []int{3, 1}, `the elements of "b" along axis 0 are 2, want 3`},
		{`
func @main(%x: float32[n]) -> (%y) {
  const %i: int64[2,1] = [[0], [1]]
  const %v: float32[3] = [1, 2, 3]
  %y = ScatterND(%v, %i, %x)
}`, []int{2}, []int{1}, `the elements of "x" along axis 0 are 1, want 2`},
		{`
func @main(%x: float32[n]) -> (%y) {
  const %i: int64[2] = [0, 1]
  const %v: float32[3] = [1, 2, 3]
  %y = ScatterElements(%v, %i, %x)
}`, []int{2}, []int{1}, `the elements of "x" along axis 0 are 1, want 2`},
		{`
func @main(%x: float32[n,2]) -> (%y) {
  const %i: int64[2,1] = [[0], [1]]
  %y = GatherND(%x, %i) {batch_dims = 1}
}`, []int{2, 2}, []int{1, 2}, `the elements of "i" along axis 0 are 2, want 1`},
		{`
func @main(%x: float32[1,n,3]) -> (%y) {
  const %size: int64[4] = [1, 1, 2, 2]
  %y = AffineGrid(%x, %size)
}`, []int{1, 2, 3}, []int{1, 1, 3}, `the elements of "x" along axis 1 are 1, want 2`},
		{`
func @main(%x: float32[1,4,n]) -> (%y) {
  const %image: int64[2] = [3, 3]
  const %block: int64[2] = [2, 2]
  %y = Col2Im(%x, %image, %block)
}`, []int{1, 4, 4}, []int{1, 4, 3}, `the elements of "x" along axis 2 are 3, want 4`},
		{`
func @main(%x: float32[1,n]) -> (%y) {
  const %image: float32[1,1,2,2] = [[[[1, 2], [3, 4]]]]
  %y = MaxRoiPool(%image, %x) {pooled_shape = [1, 1]}
}`, []int{1, 5}, []int{1, 4}, `the elements of "x" along axis 1 are 4, want 5`},
		{`
func @main(%x: float32[n,4]) -> (%y) {
  const %image: float32[1,1,2,2] = [[[[1, 2], [3, 4]]]]
  const %batch: int64[1] = [0]
  %y = RoiAlign(%image, %x, %batch)
}`, []int{1, 4}, []int{2, 4}, `the elements of "batch" along axis 0 are 1, want 2`},
		{`
func @main(%x: float32[1,1,n]) -> (%y) {
  const %i: int64[1,1,2] = [[[0, 2]]]
  %y = MaxUnpool(%x, %i) {kernel_shape = [2], strides = [2]}
}`, []int{1, 1, 2}, []int{1, 1, 3}, `the elements of "i" along axis 2 are 2, want 3`},
		{`
func @main(%x: float32[2,n,3]) -> (%y) {
  const %a: float32[2] = [1, 2]
  %y = InstanceNormalization(%x, %a, %a)
}`, []int{2, 2, 3}, []int{2, 3, 3}, `the elements of "a" along axis 0 are 2, want 3`},
		{`
func @main(%x: float32[n,2,1]) -> (%y) {
  %y = Squeeze(%x)
}`, []int{3, 2, 1}, []int{1, 2, 1}, `axis 0 of "x" has one element only in some runs, so give Squeeze its axes, or bind the size: axes to drop are 1, want 0`},
		{`
func @main(%x: float32[n,2,1]) -> (%y) {
  %s = Squeeze(%x)
  %y = Relu(%s)
}`, []int{0, 2, 1}, []int{1, 2, 1}, `axes to drop are 1, want 0`},
	} {
		m, err := ir.Parse("test.ir", "module \"test\"\nopset 28\n"+c.text)
		if err != nil {
			t.Fatal(err)
		}
		if err := pass.Run(m, pass.Pipeline, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := eval.Run(m.Main, []tensor.Value{tensor.New(tensor.Float32, c.fits...)}); err != nil {
			t.Errorf("x of %v: %v", c.fits, err)
		}
		_, err = eval.Run(m.Main, []tensor.Value{tensor.New(tensor.Float32, c.bad...)})
		if err == nil || !strings.Contains(err.Error(), c.complain) {
			t.Errorf("x of %v: got %v, want %q", c.bad, err, c.complain)
		}
	}
}
