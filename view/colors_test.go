package view

import (
	"image/color"
	"os"
	"regexp"
	"testing"

	"github.com/bbgen/bbgen/internal/browsertest"
)

// TestColors checks that text can be read in both themes, and that the colors of kinds of nodes can be told apart with
// any color vision.
func TestColors(t *testing.T) {
	css, err := os.ReadFile("_src/view.css")
	if err != nil {
		t.Fatal(err)
	}
	for theme, colors := range browsertest.Themes(string(css)) {
		for _, name := range []string{"front", "dim", "link", "error"} {
			for _, back := range []string{"back", "bar"} {
				if got := browsertest.Contrast(colors[name], colors[back]); got < 4.5 {
					t.Errorf("%s: the contrast of --%s on --%s is %.2f, want 4.5", theme, name, back, got)
				}
			}
		}
	}
	kinds := okabe(t)
	for vision, v := range browsertest.Visions {
		for a, x := range kinds {
			for b, y := range kinds {
				if got := v.Difference(x, y); a < b && got < 10 {
					t.Errorf("%s: %s and %s differ by %.1f, want 10", vision, a, b, got)
				}
			}
		}
	}
}

// okabe returns the colors of kinds of nodes.
func okabe(t *testing.T) map[string]color.RGBA {
	t.Helper()
	js, err := os.ReadFile("_src/colors.js")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]color.RGBA{}
	for _, m := range regexp.MustCompile(`(\w+): '(#[0-9a-f]{6})'[,\s]`).FindAllStringSubmatch(string(js), 8) {
		out[m[1]] = browsertest.Color(m[2])
	}
	if len(out) != 8 {
		t.Fatalf("colors.js has %v, want eight colors", out)
	}
	return out
}
