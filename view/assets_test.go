package view_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestAssets tests that the embedded files were built from the present sources, by the hash of the sources
// that the build has recorded. It does not repeat the build, since that needs node.
func TestAssets(t *testing.T) {
	var names []string
	for _, pattern := range []string{"*.js", "*.css", "*.mjs", "*.json"} {
		list, err := filepath.Glob("_src/" + pattern)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, list...)
	}
	slices.Sort(names)
	h := sha256.New()
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(h, "%s\n%s\n", filepath.Base(name), b)
	}
	want, err := os.ReadFile("assets/sources.sha256")
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%x", h.Sum(nil)); got != strings.TrimSpace(string(want)) {
		t.Errorf("assets are of other sources than %d files of _src: run \"npm ci && npm run build\" in view/_src", len(names))
	}
}
