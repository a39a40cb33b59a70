//go:build !purego

package cpu

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/isa"
)

// Kernels only use the extensions in the suffix of their names, for which the detection looks, independent of
// the processor that runs the tests: all assembly of the module is checked.
func TestKernelsStayWithinTheirLevels(t *testing.T) {
	seen := 0
	eachKernel(t, func(file, _ string, k isa.Kernel) {
		for _, line := range k.Lines {
			es, err := isa.OfText(line.Text)
			if err != nil {
				t.Errorf("%s:%d: %v", file, line.Number, err)
			}
			seen += len(es)
			if e := beyond(k.Name, es); e != "" {
				t.Errorf("%s:%d: %s: %s needs %s, want only what its name promises: %v", file, line.Number, k.Name, line.Text, e, promised(k.Name))
			}
		}
	})
	if seen == 0 {
		t.Error("found no instruction that needs anything")
	}
}

// The assembler may choose another encoding than its input suggests: the needs of the bytes count.
func TestBytesOfKernelsStayWithinTheirLevels(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the assembler")
	}
	for _, file := range assembly(t) {
		instructions, err := isa.Assemble(file, t.TempDir())
		if err != nil || len(instructions) == 0 {
			t.Fatalf("%s: got %d instructions: %v", file, len(instructions), err)
		}
		for _, i := range instructions {
			name, es, err := isa.OfBytes(i.Bytes)
			if err != nil {
				t.Errorf("%s: %s: %s: %v", file, i.Kernel, i.Text, err)
			}
			if e := beyond(i.Kernel, es); e != "" {
				t.Errorf("%s: %s: %s (% x) needs %s, want only what its name promises: %v", file, i.Kernel, i.Text, i.Bytes, e, promised(i.Kernel))
			}
			if name == "" || i.Text == "BYTE" {
				continue
			}
			text, err := isa.OfText(i.Text)
			if written := i.Text[:strings.IndexAny(i.Text+"\t", ".\t")]; written != name || !slices.Equal(text, es) {
				t.Errorf("%s: %s: %s (% x): got %s of %v by its bytes, %v by its text: %v", file, i.Kernel, i.Text, i.Bytes, name, es, text, err)
			}
		}
	}
}

// avo has a table of its own, and writes the extensions above each kernel.
func TestKernelsRequireWhatAvoSays(t *testing.T) {
	compared := 0
	eachKernel(t, func(file, src string, k isa.Kernel) {
		ours := []string{"CMOV", "CPUID", "MMX+", "SSE", "SSE2"} // the extensions of every amd64
		for _, line := range k.Lines {
			es, _ := isa.OfText(line.Text)
			ours = append(ours, es...)
		}
		for _, e := range avoRequires(src, k.Name) {
			compared++
			if !slices.Contains(ours, e) {
				t.Errorf("%s: %s: avo says that it requires %s, instructions.txt does not", file, k.Name, e)
			}
		}
	})
	if compared == 0 {
		t.Error("found no comment of avo")
	}
}

// eachKernel runs f for all kernels of the module.
func eachKernel(t *testing.T, f func(file, src string, k isa.Kernel)) {
	for _, file := range assembly(t) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		kernels, err := isa.Kernels(string(src))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, k := range kernels {
			f(file, string(src), k)
		}
	}
}

// avoRequires returns the extensions of the last comment before the kernel.
func avoRequires(src, kernel string) []string {
	before, _, _ := strings.Cut(src, "TEXT ·"+kernel+"(")
	before = before[strings.LastIndex(before, "\n\n")+1:]
	_, list, _ := strings.Cut(before, "// Requires: ")
	return strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune(", \n", r) })
}

// beyond returns an extension that the kernel's name does not imply, or "".
func beyond(kernel string, extensions []string) string {
	needs := promised(kernel)
	for _, e := range extensions {
		if !slices.Contains(needs, e) {
			return e
		}
	}
	return ""
}

// promised returns the extensions for the suffix of a kernel's name.
func promised(kernel string) []string {
	kernel, _, _ = strings.Cut(kernel, "<") // of a name that only its file knows
	for end, needs := range allNeeds() {
		if strings.HasSuffix(kernel, end) {
			return needs
		}
	}
	return nil
}

// assembly returns the names of all files of assembly for amd64 in the module.
func assembly(t *testing.T) []string {
	needsSources(t)
	var files []string
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".s") && !strings.HasSuffix(path, "_arm64.s") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Go code calls each kernel in its folder: one that is in no dispatch would be for nothing.
func TestEveryKernelIsCalled(t *testing.T) {
	called := map[string]map[string]bool{} // by folder
	eachKernel(t, func(file, src string, k isa.Kernel) {
		dir := filepath.Dir(file)
		if rel, err := filepath.Rel("../../runtime/cpu", dir); err != nil || strings.HasPrefix(rel, "..") {
			return
		}
		if called[dir] == nil {
			called[dir] = usedNames(t, dir)
		}
		if !called[dir][k.Name] && !strings.Contains(src, "\tRET ·"+k.Name+"+0(SB)") { // other kernels of the file may end with it
			t.Errorf("%s: no Go code calls %s", file, k.Name)
		}
	})
	if len(called) < 2 {
		t.Errorf("found assembly in %d folders, want this one and crc32c", len(called))
	}
}

// usedNames returns the identifiers in a folder's code, apart from the declarations of assembly.
func usedNames(t *testing.T, dir string) map[string]bool {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if fn, ok := n.(*ast.FuncDecl); ok && fn.Body == nil {
				return false
			}
			if id, ok := n.(*ast.Ident); ok {
				used[id.Name] = true
			}
			return true
		})
	}
	return used
}
