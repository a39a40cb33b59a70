package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// labOf returns a lab with a module that has one package, whose test fails unless its answer is 42.
func labOf(t *testing.T) *lab {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":          "module example.com/lab\n\ngo 1.26\n",
		"asked/a.go":      "package asked\n\nfunc answer() int { return 42 }\n",
		"asked/b.go":      "package asked\n\nfunc nobodyAsks() int { return 0 }\n",
		"asked/a_test.go": "package asked\n\nimport \"testing\"\n\nfunc TestAnswer(t *testing.T) {\n\tif answer() != 42 {\n\t\tt.Fatal(\"wrong\")\n\t}\n}\n",
		"fails/c.go":      "package fails\n",
		"fails/c_test.go": "package fails\n\nimport \"testing\"\n\nfunc TestFails(t *testing.T) { t.Fatal(\"always\") }\n",
	} {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOWORK", "off")
	return &lab{root: root, dir: t.TempDir(), atOnce: 3}
}

// A mutant whose package's tests fail is detected, another survives, and one that does not compile has no verdict.
func TestTry(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles packages")
	}
	l := labOf(t)
	got := map[string]bool{}
	errs := l.tryAll([]Mutant{
		{"detected", "asked/a.go", "42", "43", "asked"},
		{"survives", "asked/b.go", "0", "1", "asked"},
		{"is none", "asked/a.go", "42", "fourtytwo", "asked"},
	}, func(m *Mutant, v *Verdict) { got[m.Name] = v.noticed() })
	if len(got) != 2 || !got["detected"] || got["survives"] {
		t.Errorf("verdicts %v, want the first detected and the second not", got)
	}
	if len(errs) != 1 || !strings.Contains(errs[0].Error(), `mutant "is none": it does not compile`) {
		t.Errorf("errors %v, want one of the third", errs)
	}
}

// Tests that fail without a mutant are found before they give verdicts.
func TestControl(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles packages")
	}
	l := labOf(t)
	asked, fails := Mutant{Want: "asked"}, Mutant{Want: "fails"}
	if err := l.control([]Mutant{asked, asked}); err != nil {
		t.Error(err)
	}
	err := l.control([]Mutant{asked, fails})
	if err == nil || !strings.Contains(err.Error(), "fails, without a mutant: it fails: --- FAIL: TestFails") {
		t.Errorf("got %v, want that the tests of fails do", err)
	}
}
