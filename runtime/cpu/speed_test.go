package cpu

import (
	"testing"

	"github.com/bbgen/bbgen/ir/target"
)

// TestTileSpeed: the speed by which threads are chosen is that of the compiler's target, or up to a half less: it is for
// all machines of a level, and for products of all shapes.
func TestTileSpeed(t *testing.T) {
	for _, l := range Levels() {
		defer SetLevel(SetLevel(l))
		to, err := target.Of(l.String())
		if err != nil {
			t.Fatal(err)
		}
		if got := tileSpeed(); got > to.Products || 2*got < to.Products {
			t.Errorf("%v: products have a speed of %d, want that of the target, %d, or up to a half less", l, got, to.Products)
		}
	}
}
