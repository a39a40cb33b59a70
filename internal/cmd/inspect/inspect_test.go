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
