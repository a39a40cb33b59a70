package generated_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime"
)

// Code of a version that the runtime does not support any more does not compile, and code of a later version than the
// runtime does not, either. The compiler names the line, and what to do.
func TestVersions(t *testing.T) {
	for _, c := range []struct{ name, was, is, at string }{
		{"a newer runtime", "MinVersion RunBbgenAgain = ", "MinVersion RunBbgenAgain = 1 + ", "- runtime.MinVersion"},
		{"an older runtime", "GenVersion RunBbgenAgain = ", "GenVersion RunBbgenAgain = -1 + ", "runtime.GenVersion - "},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := buildWith(t, "../runtime/version.go", c.was, c.is)
			for line := range strings.Lines(out) {
				if strings.Contains(line, filepath.Join("mlp", "model.bb.go")+":") && strings.Contains(line, c.at) && strings.Contains(line, "RunBbgenAgain") {
					return
				}
			}
			t.Errorf("for code of version %d:\n%s", runtime.GenVersion, out)
		})
	}
}

// buildWith builds a generated package with a change in another file, and returns what the compiler prints.
func buildWith(t *testing.T, file, was, is string) string {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(src), was); n != 1 {
		t.Fatalf("%s has %q %d times, want it once", file, was, n)
	}
	dir := t.TempDir()
	changed := filepath.Join(dir, "changed.go")
	if err := os.WriteFile(changed, []byte(strings.Replace(string(src), was, is, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	full, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{full: changed}})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "go", "build", "-overlay", list, "./mlp").CombinedOutput()
	if err == nil {
		t.Error("it compiles")
	}
	return string(out)
}
