package record

import (
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/dsl"
)

// TestMain is also the program that [TestRun] runs instead of one that records.
func TestMain(m *testing.M) {
	switch what := os.Getenv("BBGEN_TEST_RECORD"); what {
	case "":
		os.Exit(m.Run())
	case "panic":
		panic("broken\nin two lines")
	case "exit":
		os.Exit(3)
	case "write":
		os.Stdout.WriteString("told by the author\n")
		os.Exit(0)
	default:
		os.Stderr.WriteString(what + "\n")
		os.Exit(1)
	}
}

// TestRun: the author is told what ended the recording: a panic with its stack, the errors of the program, or that it
// has ended without one.
func TestRun(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &source{path: "example.com/p", module: "example.com", program: true}
	for what, want := range map[string]string{
		"write":           "<nil>",
		"exit":            "the package ended the program that records it (exit status 3): Program must return",
		"p.go:3: no name": "p.go:3: no name",
		"panic":           "panic: broken\n\tin two lines",
	} {
		t.Setenv("BBGEN_TEST_RECORD", what)
		err := s.run(t.Context(), self, "")
		if got := fmt.Sprint(err); got != want {
			t.Errorf("%s: got %q, want %q", what, got, want)
		}
		var c *Crash
		if errors.As(err, &c) != (what == "panic") || c != nil && !strings.HasPrefix(c.Stack, "goroutine 1 [running") {
			t.Errorf("%s: the crash is %+v", what, c)
		}
	}
	if err := s.run(t.Context(), filepath.Join(t.TempDir(), "none"), ""); err == nil || !strings.HasPrefix(err.Error(), "what records the program: ") {
		t.Errorf("without a program: %v", err)
	}
}

// TestCrash: the position of a panic is the innermost line of the author's module, not of the language that it calls.
func TestCrash(t *testing.T) {
	t.Chdir(t.TempDir())
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	stack := func(lines ...string) string { return "goroutine 1 [running]:\n" + strings.Join(lines, "\n") }
	call := func(function, at string) string { return function + "(0x1)\n\t" + at + " +0x1d" }
	for _, c := range []struct{ name, said, want string }{
		{"the author's line", "panic: index out of range\n\n" + stack(
			call("github.com/bbgen/bbgen/dsl.(*Graph).Input", "/m/dsl/input.go:9"),
			call("example.com/p.Server.Body", here+"/p.go:17"),
			call("example.com/p.Program", here+"/p.go:3"),
		), "p.go:17: panic: index out of range"},
		{"another package of the module", "panic: x\n\n" + stack(call("example.com/other/q.F", "/q.go:1")), "/q.go:1: panic: x"},
		{"a similar name", "panic: x\n\n" + stack(call("example.computer/q.F", "/q.go:1"), call("example.com/p.F", "/p.go:2")), "/p.go:2: panic: x"},
		{"a goroutine", "panic: x\n\n" + stack("runtime.goexit()\n\t/go/asm.s:1", "created by example.com/p.F in goroutine 1\n\t/p.go:5 +0x1"), "/p.go:5: panic: x"},
		{"outside the program", "fatal error: all goroutines are asleep - deadlock!\n\n" + stack(call("main.main", "/main.go:1")), "fatal error: all goroutines are asleep - deadlock!"},
		{"a signal", "panic: nil pointer\n[signal SIGSEGV: segmentation violation]\n\n" + stack(call("example.com/p.F", "/p.go:2")), "/p.go:2: panic: nil pointer"},
		{"no stack", "panic: said the author", "<nil>"},
		{"no panic", "goroutine 1 [running]:\nx", "<nil>"},
	} {
		s := &source{path: "example.com/p", module: "example.com", program: true}
		got := "<nil>"
		if c := s.crash(c.said); c != nil {
			got = c.Error()
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// dslStub has what the search for programs knows of package dsl.
const dslStub = `package dsl
type Graph struct{}
type Module interface{ Body(g *Graph) }
type Program struct{ Name string; Modules []Module }
`

// check type checks a package that imports the stub.
func check(t *testing.T, text string) *types.Package {
	t.Helper()
	files := token.NewFileSet()
	from := stubs{}
	parse := func(path, text string) *types.Package {
		f, err := parser.ParseFile(files, path+".go", text, 0)
		if err != nil {
			t.Fatal(err)
		}
		p, err := (&types.Config{Importer: from}).Check(path, files, []*ast.File{f}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	from[dslPath] = parse(dslPath, dslStub)
	return parse("example.com/p", text)
}

type stubs map[string]*types.Package

func (s stubs) Import(path string) (*types.Package, error) {
	if p := s[path]; p != nil {
		return p, nil
	}
	return importer.Default().Import(path)
}

// TestFindProgram: the program is the function Program, or else all exported modules of the package; anything else is
// named with what is wanted.
func TestFindProgram(t *testing.T) {
	const head = "package p\nimport \"" + dslPath + "\"\n"
	for _, c := range []struct{ name, text, want string }{
		{"a function", head + "func Program() dsl.Program { return dsl.Program{} }\n", "author.Program()"},
		{"modules", head + "type B struct{}\nfunc (*B) Body(*dsl.Graph) {}\ntype A struct{}\nfunc (A) Body(*dsl.Graph) {}\ntype c struct{ A }\ntype I interface{ dsl.Module }\ntype D = A\n",
			`dsl.Program{Name: "p", Modules: []dsl.Module{author.A{}, &author.B{}}}`},
		{"no import", "package p\n", "dir does not import " + dslPath + ": there is no program in it"},
		{"a parameter", head + "func Program(n int) dsl.Program { return dsl.Program{} }\n", "dir: func Program has the type func(n int) " + dslPath + ".Program, want func() dsl.Program"},
		{"another result", head + "var _ dsl.Program\nfunc Program() int { return 0 }\n", "dir: func Program has the type func() int, want func() dsl.Program"},
		{"nothing", head + "var X dsl.Graph\n", "dir has no program: neither func Program() dsl.Program nor exported types that are dsl.Modules"},
	} {
		s := &source{path: "example.com/p", name: "p"}
		err := s.find("dir", check(t, c.text))
		if err != nil {
			if err.Error() != c.want {
				t.Errorf("%s: got %v, want %s", c.name, err, c.want)
			}
			continue
		}
		main := string(s.main())
		if _, err := parser.ParseFile(token.NewFileSet(), "main.go", main, 0); err != nil || !strings.Contains(main, "dsl.Build("+c.want+")") || !strings.Contains(main, `author "example.com/p"`) {
			t.Errorf("%s: %v\n%s\nwant %s", c.name, err, main, c.want)
		}
	}
	if (&source{program: true}).hint() != "" || !strings.Contains((&source{path: "example.com/p"}).hint(), "example.com/p has no func Program()") {
		t.Error("only a package without Program has a hint")
	}
	const said = `p.go:7: slot Data (data_source) of class client has no component: set its Bind, to dsl.Go(…) of a Go value`
	for program, want := range map[bool]bool{true: false, false: true} {
		if got := errors.Is((&source{program: program}).refusal(said), ErrLibrary); got != want {
			t.Errorf("with a Program %v, an empty slot makes it a library: %v", program, got)
		}
	}
	if _, err := dsl.Record(dsl.Program{Name: "p", Modules: []dsl.Module{unboundModule{}}}); err == nil || !strings.Contains(err.Error(), unbound) {
		t.Errorf("%v of an empty slot does not contain %q", err, unbound)
	}
	if err := (&source{}).refusal("p.go:7: no input"); errors.Is(err, ErrLibrary) {
		t.Errorf("%v makes it a library", err)
	}
	if _, err := Read(t.Context(), "testdata/program/program.go"); err == nil || !strings.Contains(err.Error(), "want an ONNX file or the folder of a Go package, such as ./testdata/program") {
		t.Errorf("a Go file: %v", err)
	}
	if err := (&source{}).find("dir", check(t, "package p\n")); !errors.Is(err, ErrNoProgram) {
		t.Errorf("%v does not say that there is no program", err)
	}
}

// TestPackage records a program as its author would: the artifact holds its modules, and nothing stays in the author's
// folder.
func TestPackage(t *testing.T) {
	const dir = "testdata/program"
	in, err := Read(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if in.Source != "github.com/bbgen/bbgen/internal/record/testdata/program" || !filepath.IsAbs(in.Dir) || in.Name != "program" {
		t.Errorf("got %s, %s, %s", in.Source, in.Dir, in.Name)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("the folder holds %v, %v", list, err)
	}
}

// TestRead: what is no folder is read as a file.
func TestRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.onnx")
	if err := os.WriteFile(file, []byte("no model"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(t.Context(), file); err == nil || !strings.Contains(err.Error(), "x.onnx") {
		t.Errorf("a file that is no model: %v", err)
	}
	if _, err := Read(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "is a folder outside of any Go module, want an ONNX file or the folder of a Go package") {
		t.Errorf("a folder without a module: %v", err)
	}
	stale := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module stale\n\ngo 1.26\n\nrequire example.com/other v0.0.0\n\nreplace example.com/other => ./other\n", "stale.go": "package stale\n\nimport _ \"example.com/other\"\n",
		"other/go.mod": "module example.com/other\n\ngo 1.26.1\n", "other/other.go": "package other\n",
	} {
		file := filepath.Join(stale, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOWORK", "off")
	if _, err := Read(t.Context(), stale); err == nil || !strings.Contains(err.Error(), "go mod tidy") {
		t.Errorf("a module whose go.mod is stale: %v, want what to do", err)
	}
}

// unboundModule has a slot without a component.
type unboundModule struct{ Sensor dsl.Component }

func (unboundModule) Name() string { return "unbound" }

func (m unboundModule) Body(g *dsl.Graph) { g.Output("x", m.Sensor.Call(g, "Read", dsl.Float32())) }
