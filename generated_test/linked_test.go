package generated_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// TestKernelsLinked: a program has the kernels of its operators, and none of others that are chosen while it runs.
func TestKernelsLinked(t *testing.T) {
	for _, c := range []struct{ model, has, not string }{
		{"mlp", "tile6x16AVX2", `(runs|lines|slide|taps|columns)\d|widen(Halves|NBits)`},
		{"convnet", "lines6x16AVX2", `(slide|taps|columns)\d|widen(Halves|NBits)`},
	} {
		names := symbols(t, "./"+c.model)
		if !regexp.MustCompile(`runtime/cpu\.` + c.has + `\b`).Match(names) {
			t.Errorf("%s does not link the kernel %s, which it calls", c.model, c.has)
		}
		for _, name := range regexp.MustCompile(`runtime/cpu\.(\(\*gemmBlock\)\.)?(`+c.not+`).*`).FindAll(names, 5) {
			t.Errorf("%s links %s, which it cannot call", c.model, name)
		}
	}
}

// symbols returns the names in a test's binary of a package for linux/amd64.
func symbols(t *testing.T, pkg string) []byte {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "test")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-o", bin, pkg)
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build, err, out)
	}
	names, err := exec.CommandContext(t.Context(), "go", "tool", "nm", bin).Output()
	if err != nil {
		t.Fatal(err)
	}
	return names
}
