package browsertest

import (
	"fmt"
	"image/color"
	"regexp"
	"strings"
)

var property = regexp.MustCompile(`--([a-z0-9]+):\s*(#[0-9a-f]{6})\b`)

// Themes returns the colors that a style sheet declares as properties, by theme and name: "light" are the first
// ones, "dark" those behind "prefers-color-scheme: dark", with the light ones where they change nothing.
func Themes(css string) map[string]map[string]color.RGBA {
	light, dark := map[string]color.RGBA{}, map[string]color.RGBA{}
	before, after, _ := strings.Cut(css, "prefers-color-scheme: dark")
	for _, m := range property.FindAllStringSubmatch(before, -1) {
		light[m[1]], dark[m[1]] = Color(m[2]), Color(m[2])
	}
	for _, m := range property.FindAllStringSubmatch(after, -1) {
		dark[m[1]] = Color(m[2])
	}
	return map[string]map[string]color.RGBA{"light": light, "dark": dark}
}

// Color returns a color in the form #0072b2.
func Color(text string) color.RGBA {
	c := color.RGBA{A: 255}
	if _, err := fmt.Sscanf(text, "#%02x%02x%02x", &c.R, &c.G, &c.B); err != nil {
		panic(fmt.Sprintf("BUG: color %q: %v", text, err))
	}
	return c
}
