package contrib_test

import (
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestColumns gives a product with packed weights rows of another length than the weights', which only the run can know.
func TestColumns(t *testing.T) {
	m, err := ir.Parse("m.ir", `module "m"
opset 22
opset "com.microsoft" 1
func @main(%x: float32[n,k]) -> (%y) {
  const %w: uint8[2,1,16] = [[[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]], [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]]]
  const %scales: float32[2] = [1, 2]
  %y = com.microsoft:MatMulNBits(%x, %w, %scales) {K = 16, N = 2, bits = 8, block_size = 16}
}`)
	if err == nil {
		err = pass.Run(m, pass.Pipeline, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	for k, ok := range map[int]bool{16: true, 1: false, 17: false} {
		_, err := eval.Run(m.Main, []tensor.Value{tensor.New(tensor.Float32, 3, k)})
		if ok != (err == nil) || !ok && !strings.Contains(err.Error(), `the elements of "x" along axis 1`) {
			t.Errorf("%d columns: %v", k, err)
		}
	}
}
