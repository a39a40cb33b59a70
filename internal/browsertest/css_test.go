package browsertest

import (
	"image/color"
	"maps"
	"testing"
)

// TestThemes: dark colors are the light ones, except for those that the dark theme changes or adds.
func TestThemes(t *testing.T) {
	got := Themes(`
		:root { --page: #ffffff; --text2:#010203; --wide: 12px; --mark: #ABCDEF }
		@media (prefers-color-scheme: dark) { :root { --page: #0072b2; --line: #0a0b0c } }`)
	white, text := color.RGBA{255, 255, 255, 255}, color.RGBA{1, 2, 3, 255}
	want := map[string]map[string]color.RGBA{
		"light": {"page": white, "text2": text},
		"dark":  {"page": {0, 0x72, 0xb2, 255}, "text2": text, "line": {10, 11, 12, 255}},
	}
	if !maps.EqualFunc(got, want, maps.Equal) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestColor(t *testing.T) {
	if got, want := Color("#0072b2"), (color.RGBA{0, 114, 178, 255}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	defer func() {
		if recover() == nil {
			t.Error("blue is a color, want a panic: colors have digits")
		}
	}()
	Color("blue")
}
