package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExamples tests that examples/README.md has a line for each example.
func TestExamples(t *testing.T) {
	list, err := os.ReadFile(filepath.Join(root, "examples/README.md"))
	if err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(root, "examples/*/README.md"))
	if err != nil || len(found) == 0 {
		t.Fatalf("%d examples, %v", len(found), err)
	}
	for _, name := range found {
		example := filepath.Base(filepath.Dir(name))
		if !strings.Contains(string(list), "\n| ["+example+"]("+example+"/README.md) |") {
			t.Errorf("examples/README.md does not list %s", example)
		}
	}
}
