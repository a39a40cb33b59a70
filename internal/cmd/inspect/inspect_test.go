package inspect

import (
	"fmt"
	"testing"

	"github.com/bbgen/bbgen/ir"
)

// TestBriefly prints a sum of sizes as it is, or shortened if it has too many sizes.
func TestBriefly(t *testing.T) {
	sum := ir.C(40).Add(ir.Sym("batch").Mul(ir.C(3)))
	if got, want := briefly(sum), "3*batch+40"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for i := range manySizes {
		sum = sum.Add(ir.Sym(fmt.Sprint("NonZero_", i)))
	}
	if got, want := briefly(sum), "40 and more, by 9 sizes that are known when it runs,"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestWork prints a sum that is too long to read as its constant part and the sizes that it grows with.
func TestWork(t *testing.T) {
	long := ir.C(40)
	for i := range 12 {
		long = long.Add(ir.Sym("batch").Mul(ir.Sym("width")).Add(ir.C(i + 3)).Div(ir.C(i + 3)))
	}
	for _, tt := range []struct {
		sum  ir.Dim
		want string
	}{
		{ir.Sym("batch").Mul(ir.C(3)), "3*batch a run"},
		{long, "52 a run, and what grows with batch, width; --bind batch=1,width=1 counts it"},
		{long.Add(ir.C(7).Div(ir.Sym("batch"))), "what grows with batch, width; --bind batch=1,width=1 counts it"},
	} {
		r := &Report{flops: tt.sum, sizes: []string{"batch", "width"}}
		if got := r.work(); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}
