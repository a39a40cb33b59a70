package pass_test

import (
	"fmt"
	"strings"
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

// TestFoldRegions does not fold what a few bytes of constants of equal elements would keep busy for hours: many regions of
// large images, long rows with any number of skipped tokens, and large products.
func TestFoldRegions(t *testing.T) {
	for _, c := range []struct{ name, consts, node string }{
		{"RoiAlign", "x: float32[1,1,1024,1024] | rois: float32[65536,4] | batch: int64[65536]",
			`RoiAlign(%x, %rois, %batch) {spatial_scale = 1000000.0}`},
		{"MaxRoiPool", "x: float32[1,1,1024,1024] | rois: float32[65536,5]", `MaxRoiPool(%x, %rois) {pooled_shape = [1, 1]}`},
		{"TfIdfVectorizer", "x: int64[4194304]", `TfIdfVectorizer(%x) {max_gram_length = 2, min_gram_length = 2, max_skip_count = 4194304, mode = "TF", ngram_counts = [0, 0], ngram_indexes = [0], pool_int64s = [7, 7]}`},
		{"MatMulInteger", "a: uint8[4096,4096] | b: uint8[4096,4096]", `MatMulInteger(%a, %b)`},
		{"LRN", "x: float32[1,2097152,1,1]", `LRN(%x) {size = 2097152}`},
		{"Det", "x: float32[4096,4096]", `Det(%x)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := "module \"m\"\nopset 22\nfunc @main() -> (%y) {\n"
			for _, v := range strings.Split(c.consts, " | ") {
				name, typ, _ := strings.Cut(v, ": ")
				elem, shape, _ := strings.Cut(strings.TrimSuffix(typ, "]"), "[")
				rank := strings.Count(shape, ",") + 1
				text += fmt.Sprintf("  const %%%s_shape: int64[%d] = [%s]\n  const %%%s_one: %s[1] = [0]\n", name, rank, shape, name, elem)
				text += fmt.Sprintf("  %%%s = Expand(%%%s_one, %%%s_shape)\n", name, name, name)
			}
			m, err := ir.Parse("m.ir", text+"  %y = "+c.node+"\n}\n")
			if err != nil {
				t.Fatal(err)
			}
			if err := pass.Run(m, pass.Pipeline, nil); err != nil {
				t.Fatal(err)
			}
			left := 0
			m.Main.Body.Walk(func(n *ir.Node) {
				if strings.HasPrefix(n.Op, c.name) {
					left++
				}
			})
			if left != 1 {
				t.Errorf("%d nodes are left of %d, want the %s", left, len(m.Main.Body.Nodes), c.name)
			}
		})
	}
}
