package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

func TestImports(t *testing.T) {
	if _, err := os.Stat("../../go.mod"); err != nil {
		t.Fatal(err)
	}
	problems, err := check(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Error(p)
	}
}

// TestCheck shows the errors of check, each with a small file.
func TestCheck(t *testing.T) {
	tests := []struct {
		file, src string
		want      string // the one problem, or "" when there is none
	}{
		{"ir/a.go", `import "github.com/bbgen/bbgen/runtime/tensor"`, ""},
		{"ir/a.go", `import "github.com/bbgen/bbgen/ir/op"`, "ir/a.go: ir imports ir/op, may import artifact/keys, runtime/tensor: " + why("ir")},
		{"ir/a.go", `import "google.golang.org/protobuf/proto"`, "ir/a.go: ir imports google.golang.org/protobuf/proto, may import nothing of others: " + whyModules},
		{"ir/onnx/a.go", `import "google.golang.org/protobuf/proto"`, ""},
		{"ir/op/math/a.go", `import "github.com/bbgen/bbgen/ir/op"`, ""},
		{"ir/op/math/a.go", `import "github.com/bbgen/bbgen/ir/op/shape"`, "ir/op/math/a.go: ir/op/math imports ir/op/shape, may import ir, ir/op, ir/op/elem, runtime/tensor: a family is read and changed without the others, and names their operators through the Builder"},
		{"ir/op/a.go", `import "github.com/bbgen/bbgen/ir/op/math"`, "ir/op/a.go: ir/op imports ir/op/math, may import ir, ir/op/elem, ir/target, runtime/tensor: it is the machinery of operators, and knows none of them"},
		{"ir/op/all/a.go", `import "github.com/bbgen/bbgen/ir/op/math"`, ""},
		{"ir/a.go", `import "C"`, "ir/a.go: imports C: a peer is built with CGO_ENABLED=0"},
		{"newcomer/a.go", ``, "newcomer/a.go: newcomer has no row in internal/arch/rules_test.go"},
		{"nested/go.mod", "", ""},
		{"ir/testdata/a.go", `import "github.com/bbgen/bbgen/cmd/bbgen"`, ""},
		{"ir/a_test.go", `import "github.com/bbgen/bbgen/ir/op"; import "github.com/google/go-cmp/cmp"`, ""},
		{"ir/a_test.go", `import "github.com/bbgen/bbgen/cmd/bbgen"`, "ir/a_test.go: imports cmd/bbgen, which nothing may import: " + whyNever},
		{"ir/a_test.go", `import "example.org/x"`, "ir/a_test.go: a test imports example.org/x, which is not in testExt: " + whyModules},
		{"ir/gen.go", "//go:build ignore\n\npackage main\n\nimport \"example.org/x\"", ""},
		{"generated_test/mlp/step.bb.go", `import "github.com/bbgen/bbgen/runtime/cpu"`, ""},
		{"generated_test/mlp/step.bb.go", `import "github.com/bbgen/bbgen/runtime/host/tcp"`,
			"generated_test/mlp/step.bb.go: *.bb.go imports runtime/host/tcp, may import runtime, runtime/collective, runtime/tensor, runtime/cpu, runtime/cpu/imagedec, runtime/wire, runtime/component/..., generated_test/..., internal/bench/collective/load: " + why("*.bb.go")},
		{"generated_test/mlp/main.go", `import "github.com/bbgen/bbgen/runtime/host/tcp"`, ""},
		{"runtime/a.go", `import "net/http"`, "runtime/a.go: imports net/http, which in the runtime only runtime/host may: " + whyWorldly},
		{"runtime/a_test.go", `import "os"`, ""},
		{"runtime/cpu/level.go", `import "syscall"`, ""},
		{"runtime/cpu/a.go", `import "syscall"`, "runtime/cpu/a.go: imports syscall, which in the runtime only runtime/host may: " + whyWorldly},
		{"runtime/host/tcp/a.go", `import "net"; func f() { go f() }`, ""},
		{"runtime/a.go", `import "time"; var now = time.Now`, "runtime/a.go:2: time.Now: the runtime is told the time"},
		{"runtime/a.go", `import "time"; const day = 24*time.Hour`, ""},
		{"runtime/a.go", `import "math/rand/v2"; var x = rand.IntN(3)`, "runtime/a.go:2: rand.IntN: the runtime draws from a seed that it is given"},
		{"runtime/a.go", `import "math/rand/v2"; var x *rand.Rand = rand.New(rand.NewPCG(1, 2))`, ""},
		{"runtime/cpu/a.go", `func f() { go f() }`, "runtime/cpu/a.go:2: starts a goroutine: only runtime/cpu/pool*.go may"},
		{"runtime/cpu/pool.go", `func f() { go f() }`, ""},
		{"runtime/host/launch/a.go", `import "os/exec"; var c = exec.Command("./client")`, ""},
		{"runtime/host/launch/a.go", `import "os/exec"; var c = exec.Command("go", "build")`,
			"runtime/host/launch/a.go:2: runs the go command: a machine with peers needs no Go; internal/gobuild builds"},
		{"runtime/host/tcp/a.go", `import "os/exec"; var c = exec.Command("./client")`, "runtime/host/tcp/a.go:2: starts a process: only those in starters may"},
		{"runtime/host/tcp/a_test.go", `import "os/exec"; var c = exec.Command("go")`, ""},
	}
	for _, tt := range tests {
		src := tt.src
		if !strings.Contains(src, "package ") {
			src = "package p\n" + src
		}
		fsys := fstest.MapFS{tt.file: {Data: []byte(src)}}
		if d, ok := strings.CutSuffix(tt.file, "/go.mod"); ok {
			fsys[d+"/a.go"] = &fstest.MapFile{Data: []byte(`package p; import "example.org/x"`)}
		}
		problems, err := check(fsys)
		if err != nil {
			t.Errorf("%s: %s: %v", tt.file, tt.src, err)
			continue
		}
		if got := strings.Join(problems, "; "); got != tt.want {
			t.Errorf("%s: %s\n got %q\nwant %q", tt.file, tt.src, got, tt.want)
		}
	}
}

// check returns the errors of the packages of the module at the top of fsys, in the order of their files.
func check(fsys fs.FS) ([]string, error) {
	var problems []string
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if skipped(fsys, name) {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".go" || d.Name()[0] == '.' || d.Name()[0] == '_' {
			return nil
		}
		src, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		found, err := checkFile(name, src)
		problems = append(problems, found...)
		return err
	})
	return problems, err
}

// skipped reports whether the go command ignores packages in the directory.
func skipped(fsys fs.FS, dir string) bool {
	if dir == "." {
		return false
	}
	base := path.Base(dir)
	if base[0] == '.' || base[0] == '_' || base == "testdata" || base == "vendor" {
		return true
	}
	_, err := fs.Stat(fsys, dir+"/go.mod")
	return err == nil
}

func checkFile(name string, src []byte) ([]string, error) {
	isTest := strings.HasSuffix(name, "_test.go")
	// The engine and its hosts can only be checked with their whole text.
	isEngine := match("runtime/...", path.Dir(name)) && !match("runtime/host/...", path.Dir(name)) && !isTest
	isHost := match("runtime/host/...", path.Dir(name)) && !isTest
	mode := parser.ImportsOnly | parser.ParseComments
	if isEngine || isHost {
		mode = parser.ParseComments | parser.SkipObjectResolution
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, mode)
	if err != nil {
		return nil, err
	}
	if isIgnored(f) {
		return nil, nil
	}
	r, ok := ruleOf(name)
	if !ok {
		return []string{fmt.Sprintf("%s: %s has no row in internal/arch/rules_test.go", name, path.Dir(name))}, nil
	}
	var problems []string
	for _, spec := range f.Imports {
		imp, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: import %s: %w", name, spec.Path.Value, err)
		}
		p := checkImport(r, path.Dir(name), imp, isTest)
		if p == "" && isEngine && below(worldly, imp) && worldlyExcept[name] != imp {
			p = fmt.Sprintf("imports %s, which in the runtime only runtime/host may: %s", imp, whyWorldly)
		}
		if p != "" {
			problems = append(problems, name+": "+p)
		}
	}
	if isEngine {
		problems = append(problems, checkEngine(fset, f)...)
	}
	if isHost {
		problems = append(problems, checkHost(fset, f)...)
	}
	return problems, nil
}

// isIgnored reports whether the file is a program that is only run by its name.
func isIgnored(f *ast.File) bool {
	for _, g := range f.Comments {
		for _, c := range g.List {
			if c.Pos() < f.Package && c.Text == "//go:build ignore" {
				return true
			}
		}
	}
	return false
}

// checkImport returns the error of one import of a package, or "".
func checkImport(r rule, pkg, imp string, isTest bool) string {
	if imp == "C" {
		return "imports C: a peer is built with CGO_ENABLED=0"
	}
	if our, ok := ours(imp); ok {
		for _, p := range neverImported {
			if match(p, our) && !match(p, pkg) {
				return fmt.Sprintf("imports %s, which nothing may import: %s", our, whyNever)
			}
		}
		if isTest || matchAny(r.ours, our) || slices.Contains(r.ours, "runtime") && slices.Contains(besides, our) {
			return "" // a test may import all packages of this module: the compiler rejects cycles
		}
		return fmt.Sprintf("%s imports %s, may import %s: %s", subject(r, pkg), our, list(r.ours, "nothing of ours"), why(r.pkg))
	}
	if first, _, _ := strings.Cut(imp, "/"); !strings.Contains(first, ".") {
		return "" // the standard library
	}
	if below(r.ext, imp) {
		return ""
	}
	if isTest {
		if below(testExt, imp) {
			return ""
		}
		return fmt.Sprintf("a test imports %s, which is not in testExt: %s", imp, whyModules)
	}
	return fmt.Sprintf("%s imports %s, may import %s: %s", subject(r, pkg), imp, list(r.ext, "nothing of others"), whyModules)
}

// checkEngine returns the places where a file of the runtime reads the clock, draws global randomness or
// starts a goroutine.
func checkEngine(fset *token.FileSet, f *ast.File) []string {
	var problems []string
	report := func(n ast.Node, format string, args ...any) {
		pos := fset.Position(n.Pos())
		problems = append(problems, fmt.Sprintf("%s:%d: ", pos.Filename, pos.Line)+fmt.Sprintf(format, args...))
	}
	mayStart, _ := path.Match(mayGo, fset.Position(f.Pos()).Filename)
	imports := importNames(f)
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			if !mayStart {
				report(n, "starts a goroutine: only %s may", mayGo)
			}
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			if !ok {
				break
			}
			switch imports[x.Name] {
			case "time":
				if slices.Contains(clock, n.Sel.Name) {
					report(n, "time.%s: the runtime is told the time", n.Sel.Name)
				}
			case "math/rand", "math/rand/v2":
				// Types and constructors are allowed; functions draw from the global source.
				isType := slices.Contains([]string{"Rand", "Source", "Source64", "PCG", "ChaCha8", "Zipf"}, n.Sel.Name)
				if !isType && !strings.HasPrefix(n.Sel.Name, "New") {
					report(n, "rand.%s: the runtime draws from a seed that it is given", n.Sel.Name)
				}
			}
		}
		return true
	})
	return problems
}

// checkHost returns the places where a file of a host starts a process that it may not.
func checkHost(fset *token.FileSet, f *ast.File) []string {
	var problems []string
	name := fset.Position(f.Pos()).Filename
	imports := importNames(f)
	mayStart := starters[name] != "" || starters[path.Dir(name)] != ""
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		fun, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		x, ok := fun.X.(*ast.Ident)
		if !ok || imports[x.Name] != "os/exec" || !strings.HasPrefix(fun.Sel.Name, "Command") {
			return true
		}
		pos := fset.Position(call.Pos())
		switch {
		case slices.ContainsFunc(call.Args, isGo):
			problems = append(problems, fmt.Sprintf("%s:%d: runs the go command: a machine with peers needs no Go; internal/gobuild builds", name, pos.Line))
		case !mayStart:
			problems = append(problems, fmt.Sprintf("%s:%d: starts a process: only those in starters may", name, pos.Line))
		}
		return true
	})
	return problems
}

// isGo reports whether an expression is the name of the go command.
func isGo(e ast.Expr) bool {
	lit, ok := e.(*ast.BasicLit)
	return ok && lit.Value == `"go"`
}

// importNames maps the names by which a file calls its imports to their paths.
func importNames(f *ast.File) map[string]string {
	names := map[string]string{}
	for _, spec := range f.Imports {
		imp, _ := strconv.Unquote(spec.Path.Value)
		name := path.Base(strings.TrimSuffix(imp, "/v2"))
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = imp
	}
	return names
}

// ruleOf returns the rule for a file: the most specific row for its package.
func ruleOf(name string) (best rule, ok bool) {
	if strings.HasSuffix(name, ".bb.go") {
		return generatedRule, true
	}
	for _, r := range rules {
		if match(r.pkg, path.Dir(name)) && (!ok || len(r.pkg) > len(best.pkg)) {
			best, ok = r, true
		}
	}
	return best, ok
}

// subject names the package or file that violates r.
func subject(r rule, pkg string) string {
	if r.pkg == generatedRule.pkg {
		return r.pkg
	}
	return pkg
}

// ours returns the path of a package of this module, relative to the module.
func ours(imp string) (string, bool) {
	if imp == module {
		return ".", true
	}
	return strings.CutPrefix(imp, module+"/")
}

// match reports whether a pattern of the table matches the package.
func match(pattern, pkg string) bool {
	if dir, ok := strings.CutSuffix(pattern, "/..."); ok {
		return pkg == dir || strings.HasPrefix(pkg, dir+"/")
	}
	if dir, ok := strings.CutSuffix(pattern, "/*"); ok {
		return path.Dir(pkg) == dir
	}
	return pattern == pkg
}

func matchAny(patterns []string, pkg string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return match(p, pkg) })
}

// below reports whether imp is one of the paths or below one.
func below(paths []string, imp string) bool {
	return slices.ContainsFunc(paths, func(p string) bool { return imp == p || strings.HasPrefix(imp, p+"/") })
}

func list(s []string, none string) string {
	if len(s) == 0 {
		return none
	}
	return strings.Join(s, ", ")
}
