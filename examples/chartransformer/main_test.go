package main

import (
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestLearns trains for some steps and generates.
func TestLearns(t *testing.T) {
	if testing.Short() {
		t.Skip("trains for seconds")
	}
	t.Chdir(t.TempDir())
	if err := learn("w.safetensors", 5, 1, false); err != nil {
		t.Fatal(err)
	}
	var one, two strings.Builder
	for _, w := range []io.Writer{&one, &two} {
		if err := generate(w, "w.safetensors", "Package ", 80, 0.7, 1); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.HasPrefix(one.String(), "Package ") || len([]rune(one.String())) != 89 || one.String() != two.String() {
		t.Errorf("generated %q and %q", one.String(), two.String())
	}
	if err := generate(io.Discard, "none", "", 1, 1, 1); err == nil {
		t.Error("weights that are not there are read")
	}
}

// TestDocumentation tests that the documented text is that of the program.
func TestDocumentation(t *testing.T) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	text, err := documentation(filepath.Join(strings.TrimSpace(string(out)), "src", "strings"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text, "Contains reports whether substr is within s.") || strings.Contains(text, "func ") && strings.Contains(text, "Copyright") {
		t.Errorf("the text begins with %.200q", text)
	}
}
