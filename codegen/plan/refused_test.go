package plan_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/bbgen/bbgen/ir"
)

// TestRefused: what no machine can store is an error, before anything is allocated. On a machine of 32 bits the limits are
// lower, and larger shapes are refused before that.
func TestRefused(t *testing.T) {
	side, most := 1<<17, int64(1)<<38
	if strconv.IntSize == 32 {
		side, most = 1<<13, 1<<30-1
	}
	for _, c := range []struct{ name, fn, want string }{
		{
			"one value that no machine holds",
			fmt.Sprintf("func @main(%%x: float64[%d,%[1]d]) -> (%%z) {\n  %%a = MatMul(%%x, %%x)\n  %%z = ReduceSum(%%a)\n}\n", 2*side),
			fmt.Sprintf(`m.onnx: value "a" (float64[%d,%[1]d]) is larger than %d bytes`, 2*side, most),
		},
		{
			"values that no machine holds at the same time",
			fmt.Sprintf("func @main(%%x: float32[%d,%[1]d]) -> (%%z) {\n  %%a = MatMul(%%x, %%x)\n  %%b = MatMul(%%a, %%x)\n  %%c = MatMul(%%b, %%x)\n"+
				"  %%d = MatMul(%%c, %%x)\n  %%p = MatMul(%%a, %%b)\n  %%q = MatMul(%%p, %%c)\n  %%z = MatMul(%%q, %%d)\n}\n", side),
			fmt.Sprintf("m.onnx: values that live at the same time take %d bytes, at most %d are supported", 5*4*int64(side)*int64(side), most),
		},
	} {
		m, err := ir.Parse("m.onnx", "module \"m\"\nfile \"m.onnx\"\nopset 21\n"+c.fn)
		if err == nil {
			_, err = planOf(m)
		}
		if err == nil || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, c.want)
		}
	}
}
