package docs

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/format"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestExercise does the exercise of CONTRIBUTING.md: the tests of the family accept the operator with the cases there, and
// not without them. The tree stays as it is: the compiler reads two files from elsewhere, and the tests run elsewhere.
func TestExercise(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the operators")
	}
	p, err := readPage(root, "CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := p.written()
	if got, want := slices.Sorted(maps.Keys(blocks)), []string{"cases.txt", "ops.go", "signedsquare.go"}; !slices.Equal(got, want) {
		t.Fatalf("the exercise has %q, want %q: three files", got, want)
	}
	if src := blocks["signedsquare.go"]; !isFormatted(src) {
		t.Errorf("gofmt would change\n%s", src)
	}
	dir := t.TempDir()
	tests := buildExercise(t, dir, blocks)
	run := func() (string, error) {
		cmd := exec.Command(tests)
		cmd.Dir = dir
		b, err := cmd.CombinedOutput()
		return string(b), err
	}
	if out, err := run(); err == nil || !strings.Contains(out, "SignedSquare has no case") {
		t.Errorf("without cases: %v\n%s", err, out)
	}
	if err := appendTo(filepath.Join(dir, "testdata/forward/cases.txt"), strings.NewReader(blocks["cases.txt"])); err != nil {
		t.Fatal(err)
	}
	if out, err := run(); err != nil {
		t.Errorf("with cases: %v\n%s", err, out)
	}
}

// written returns the blocks that become files, by the names of the files.
func (p *page) written() map[string]string {
	files := map[string]string{}
	for _, b := range p.blocks {
		if name, ok := b.order("file"); ok {
			files[path.Base(name)] = strings.Join(b.lines, "\n") + "\n"
		}
	}
	return files
}

func isFormatted(src string) bool {
	b, err := format.Source([]byte(src))
	return err == nil && bytes.Equal(b, []byte(src))
}

// buildExercise builds the tests of the family with the exercise's operator, beside a copy of their data.
func buildExercise(t *testing.T, dir string, blocks map[string]string) (tests string) {
	t.Helper()
	family, err := filepath.Abs(filepath.Join(root, "ir/op/math"))
	if err != nil {
		t.Fatal(err)
	}
	ops, err := os.ReadFile(filepath.Join(family, "ops.go"))
	if err != nil {
		t.Fatal(err)
	}
	const next = "\tSin,\n" // the line after the new one
	list := strings.Replace(string(ops), next, blocks["ops.go"]+next, 1)
	replace := map[string]string{
		filepath.Join(family, "signedsquare.go"): filepath.Join(dir, "signedsquare.go"),
		filepath.Join(family, "ops.go"):          filepath.Join(dir, "ops.go"),
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(
		os.CopyFS(filepath.Join(dir, "testdata"), os.DirFS(filepath.Join(family, "testdata"))),
		os.WriteFile(filepath.Join(dir, "signedsquare.go"), []byte(blocks["signedsquare.go"]), 0o666),
		os.WriteFile(filepath.Join(dir, "ops.go"), []byte(list), 0o666),
		os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o666),
	); err != nil {
		t.Fatal(err)
	}
	tests = filepath.Join(dir, "family.exe") // systems other than Windows accept the name
	cmd := exec.Command("go", "test", "-c", "-trimpath", "-overlay", filepath.Join(dir, "overlay.json"), "-o", tests, "./ir/op/math")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if b, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, b)
	}
	return tests
}
