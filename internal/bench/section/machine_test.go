package section

import (
	"runtime"
	"testing"
)

// TestProcessor shows the name of a processor as systems spell it, and what stands for one that has none.
func TestProcessor(t *testing.T) {
	for _, x := range []struct{ info, want string }{
		{"processor\t: 0\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD EPYC\n\nprocessor\t: 1\nmodel\t\t: 18\n", "AMD EPYC (family 25, model 17)"},
		{"model name : Some CPU\n", "Some CPU"},
		{"CPU implementer\t: 0x41\n", runtime.GOARCH},
		{"", runtime.GOARCH},
	} {
		if got := processor(x.info); got != x.want {
			t.Errorf("%q: %q, want %q", x.info, got, x.want)
		}
	}
}
