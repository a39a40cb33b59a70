package pass_test

import (
	"fmt"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
)

// TestFoldSamples does not fold a RoiAlign of constants with so many samples that it would not end; it folds one with few.
func TestFoldSamples(t *testing.T) {
	for ratio, want := range map[int64]int{2: 0, 1 << 40: 1} {
		m, err := ir.Parse("m.ir", fmt.Sprintf(`module "m"
opset 22
func @main() -> (%%y) {
  const %%x: float32[1,1,2,2] = [1, 2, 3, 4]
  const %%rois: float32[1,4] = [0, 0, 1, 1]
  const %%batch: int64[1] = [0]
  %%y = RoiAlign(%%x, %%rois, %%batch) {sampling_ratio = %d}
}
`, ratio))
		if err != nil {
			t.Fatal(err)
		}
		if err := pass.Run(m, pass.Pipeline, nil); err != nil {
			t.Fatal(err)
		}
		if got := len(m.Main.Body.Nodes); got != want {
			t.Errorf("%d samples a side: %d nodes are left, want %d", ratio, got, want)
		}
	}
}
