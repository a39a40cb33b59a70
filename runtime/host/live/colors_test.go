package live

import (
	"fmt"
	"testing"

	"github.com/bbgen/bbgen/internal/browsertest"
)

// TestColors checks that text can be read in both themes, and that curves of a chart can be told apart with any
// color vision, easily where their dashes are equal, too.
func TestColors(t *testing.T) {
	for theme, colors := range browsertest.Themes(asset("live.css")) {
		back := colors["back"]
		for _, name := range []string{"front", "dim", "link", "good", "bad"} {
			if got := browsertest.Contrast(colors[name], back); got < 4.5 {
				t.Errorf("%s: the contrast of --%s is %.2f, want 4.5", theme, name, got)
			}
		}
		for i := range maxSeries {
			name := fmt.Sprintf("s%d", i)
			if got := browsertest.Contrast(colors[name], back); got < 3 {
				t.Errorf("%s: the contrast of --%s is %.2f, want 3", theme, name, got)
			}
			for j := range i {
				want := 10.0
				if (i-j)%3 == 0 { // with the same dashes
					want = 30
				}
				other := fmt.Sprintf("s%d", j)
				for vision, v := range browsertest.Visions {
					if got := v.Difference(colors[name], colors[other]); got < want {
						t.Errorf("%s, %s: --%s and --%s differ by %.1f, want %v", theme, vision, name, other, got, want)
					}
				}
			}
		}
	}
}
