package arch

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// imported are packages that users import or read about, besides those that doc.go names. An Example of each shows its
// main call.
var imported = []string{
	"artifact", "remote", "runtime/collective", "runtime/component/fedavg", "runtime/component/robust/median",
	"runtime/host/mem", "runtime/host/peer", "runtime/host/serve", "runtime/host/train", "runtime/model", "runtime/tensor",
	"runtime/values", "runtime/wire",
}

// isExample matches an Example whose output is compared.
var isExample = regexp.MustCompile(`(?s)\nfunc Example\w*\(\) \{\n.*?\n\t// Output:.*?\n\}`)

// TestExamples: the packages that doc.go names and those that users import have an Example with an output.
func TestExamples(t *testing.T) {
	root := os.DirFS("../..")
	doc, err := fs.ReadFile(root, "doc.go")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(doc), "\n// ", " ")
	list := slices.Clone(imported)
	for _, m := range regexp.MustCompile(`\b[Pp]ackage ([a-z/]+[a-z])`).FindAllStringSubmatch(text, -1) {
		if _, err := fs.Stat(root, m[1]); err == nil {
			list = append(list, m[1])
		}
	}
	if n := len(list) - len(imported); n < 10 {
		t.Errorf("doc.go names %d packages: the test finds too few", n)
	}
	for _, pkg := range list {
		if !hasExample(t, root, pkg) {
			t.Errorf("%s has no Example with an output in its tests", pkg)
		}
	}
}

func hasExample(t *testing.T, root fs.FS, pkg string) bool {
	t.Helper()
	files, err := fs.Glob(root, path.Join(pkg, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(name string) bool {
		src, err := fs.ReadFile(root, name)
		if err != nil {
			t.Fatal(err)
		}
		return isExample.Match(src)
	})
}
