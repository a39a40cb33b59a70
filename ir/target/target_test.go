package target_test

import (
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir/target"
	"github.com/bbgen/bbgen/runtime/cpu"
)

// TestLevels tests that there is a target for each level of kernels, and for no other.
func TestLevels(t *testing.T) {
	kernels := []cpu.Level{cpu.Portable, cpu.AVX2, cpu.AVX512, cpu.NEON}
	if len(target.Levels()) != len(kernels) {
		t.Errorf("there are targets for %q, and kernels for %v", target.Levels(), kernels)
	}
	for _, level := range kernels {
		level := level.String()
		if got, err := target.Of(level); err != nil || got.Level != level {
			t.Errorf("Of(%q): %v, %v", level, got, err)
		}
	}
	if got, err := target.Of(""); err != nil || got != target.Default {
		t.Errorf(`Of(""): %v, %v`, got, err)
	}
	if _, err := target.Of("sse9"); err == nil || !strings.Contains(err.Error(), "avx2, avx512, neon, portable") {
		t.Errorf("sse9: %v", err)
	}
}

// TestPanel: filters are packed in panels of so many columns.
func TestPanel(t *testing.T) {
	if got := cpu.PackConv32Size(1, 1, 1, 1); got != target.Panel {
		t.Errorf("one filter of one tap is packed in %d columns, want %d", got, target.Panel)
	}
}
