// Command vendorgen writes deps.txtar: the sources of the packages outside the
// standard library that the runtime imports, from the module cache, at the
// versions of go.mod.
package main

import (
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/tools/txtar"
)

// modules are the dependencies, and the packages of each that peers link.
var modules = []struct {
	path     string
	packages []string
}{
	{"golang.org/x/sys", []string{"cpu"}},
	{"google.golang.org/protobuf", []string{"encoding/protowire", "internal/errors", "internal/detrand"}},
}

func main() {
	log.SetFlags(0)
	var a txtar.Archive
	for _, m := range modules {
		out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}} {{.Version}} {{.GoVersion}}", m.path).Output()
		if err != nil {
			log.Fatalf("go list -m %s: %v", m.path, err)
		}
		f := strings.Fields(string(out))
		if len(f) != 3 {
			log.Fatalf("go list -m %s: got %q; run go mod download first", m.path, out)
		}
		a.Comment = fmt.Appendf(a.Comment, "%s %s %s\n", m.path, f[1], f[2])
		add(&a, f[0], m.path, "LICENSE")
		for _, p := range m.packages {
			files, err := os.ReadDir(filepath.Join(f[0], p))
			if err != nil {
				log.Fatal(err)
			}
			for _, x := range files {
				if keep(x.Name()) {
					add(&a, f[0], m.path, p+"/"+x.Name())
				}
			}
		}
	}
	if err := os.WriteFile("deps.txtar", txtar.Format(&a), 0o644); err != nil {
		log.Fatal(err)
	}
}

// keep reports whether a file is part of a build.
func keep(name string) bool {
	return !strings.HasSuffix(name, "_test.go") && (strings.HasSuffix(name, ".go") || strings.HasSuffix(name, ".s"))
}

func add(a *txtar.Archive, dir, mod, name string) {
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		log.Fatal(err)
	}
	a.Files = append(a.Files, txtar.File{Name: mod + "/" + name, Data: b})
}
