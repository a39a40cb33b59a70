package op

import (
	"strings"
	"testing"
)

// TestNearest checks which attribute is suggested for a misspelled one.
func TestNearest(t *testing.T) {
	names := []string{"axis", "keepdims", "noop_with_empty_axes", "kernel_shape"}
	for name, want := range map[string]string{"axes": "axis", "keep_dims": "keepdims", "kernelshape": "kernel_shape", "dilations": "", "x": ""} {
		if got := nearest(name, names); got != want {
			t.Errorf("nearest to %q is %q, want %q", name, got, want)
		}
	}
	if s := strings.Repeat("a", 20); distance(s, s[:5]) != 15 || distance("", "ab") != 2 {
		t.Error("the distance is not how many letters change")
	}
}
