package differ

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/bbgen/bbgen/codegen"
	"github.com/bbgen/bbgen/internal/project"
)

// harness is the main of a batch: it runs programs on requests.
//
//go:embed harness.go.txt
var harness []byte

// Toolchain compiles and links packages against a runtime that is compiled once. It runs the compiler itself:
// go build would keep each random model in its cache.
type Toolchain struct {
	dir, compiler, linker string
	imports               []byte // the files of the compiled runtime, in the format of -importcfg
}

// NewToolchain compiles the runtime; dir is for its files and those of batches.
func NewToolchain(dir string) (*Toolchain, error) {
	t := &Toolchain{dir: dir}
	stub := []codegen.File{codegen.NewFile("main.go", append(bytes.Clone(harness), "\nvar programs []func() model.Program\n"...))}
	stub = append(stub, codegen.NewFile("programs.go", programImports()))
	src := filepath.Join(dir, "runtime")
	if err := project.Write(project.Home{Dir: src, Import: "bbgen.local/random", Own: true}, stub); err != nil {
		return nil, err
	}
	list, err := t.run(src, "go", "list", "-trimpath", "-mod=vendor", "-deps", "-export", "-f", "{{if and .Export (ne .Name \"main\")}}packagefile {{.ImportPath}}={{.Export}}{{end}}", ".")
	if err != nil {
		return nil, err
	}
	t.imports = list
	for tool, path := range map[string]*string{"compile": &t.compiler, "link": &t.linker} {
		out, err := t.run(src, "go", "tool", "-n", tool)
		if err != nil {
			return nil, err
		}
		*path = strings.TrimSpace(string(out))
	}
	return t, nil
}

// programImports returns a file of the harness with the packages that programs import, while the harness does not.
func programImports() []byte {
	text := "package main\n"
	for _, p := range append([]string{"embed", "math", "sync"}, codegen.ModelImports()...) {
		text += fmt.Sprintf("\nimport _ %q\n", p)
	}
	return []byte(text)
}

// run runs a command in a folder and returns what it prints.
func (t *Toolchain) run(dir, name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=")
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s%s", filepath.Base(name), args[0], err, complaint.Bytes(), out.Bytes())
	}
	return out.Bytes(), nil
}

// compile compiles a package with the given import path into dir/name.a. Its imports are those in
// dir/importcfg.
func (t *Toolchain) compile(dir, name string, files []codegen.File) error {
	args := []string{"-p", name, "-complete", "-c=1", "-pack", "-trimpath", t.dir, "-importcfg", filepath.Join(dir, "importcfg"), "-o", filepath.Join(dir, name+".a")}
	src := filepath.Join(dir, name)
	if err := os.MkdirAll(src, 0o777); err != nil {
		return err
	}
	for _, f := range files {
		path := filepath.Join(src, f.Path)
		if err := os.WriteFile(path, f.Bytes(), 0o666); err != nil {
			return err
		}
		switch {
		case strings.HasSuffix(f.Path, ".go"):
			args = append(args, path)
		case f.Path == "weights.bin":
			config := fmt.Sprintf(`{"Patterns": {%q: [%[1]q]}, "Files": {%[1]q: %q}}`, f.Path, path)
			if err := os.WriteFile(filepath.Join(src, "embedcfg"), []byte(config), 0o666); err != nil {
				return err
			}
			args = append([]string{"-embedcfg", filepath.Join(src, "embedcfg")}, args...)
		}
	}
	_, err := t.run(dir, t.compiler, args...)
	return err
}

// link links dir/main.a and all its imports into dir/bin.
func (t *Toolchain) link(dir string) error {
	_, err := t.run(dir, t.linker, "-s", "-w", "-importcfg", filepath.Join(dir, "importcfg"), "-o", filepath.Join(dir, "bin"), filepath.Join(dir, "main.a"))
	return err
}
