package main

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/internal/gobuild"
	"github.com/bbgen/bbgen/internal/project"
	"github.com/bbgen/bbgen/internal/record"
)

// here is the import path of this program. Generated packages must be below it, because the measured programs
// are internal.
const here = "github.com/bbgen/bbgen/internal/bench/distributed"

// workshop is a module, in a workspace with those of this repository, in which peers are generated and built.
// It may also be a folder of prebuilt binaries.
type workshop struct {
	dir   string // of the workspace
	bin   string // folder of binaries
	given bool   // the binaries are prebuilt
}

// workshopAt returns a workshop with temporary files in tmp. It uses the binaries in the folder given, or
// else builds them, into bin if that is set.
func workshopAt(tmp, given, bin string) (*workshop, error) {
	bin, err := filepath.Abs(cmp.Or(given, bin, filepath.Join(tmp, "bin")))
	if err != nil {
		return nil, err
	}
	if given != "" {
		return &workshop{dir: tmp, bin: bin, given: true}, nil
	}
	return newWorkshop(tmp, bin)
}

// newWorkshop makes the workspace for binaries in bin. The process's Go commands use it from now on.
func newWorkshop(dir, bin string) (*workshop, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/bbgen/bbgen").Output()
	if err != nil {
		return nil, fmt.Errorf("go list -m: %w: run this in bbgen's repository", err)
	}
	root := strings.TrimSpace(string(out))
	w := &workshop{dir: dir, bin: bin}
	files := map[string]string{
		"go.work":      fmt.Sprintf("go 1.26.0\n\nuse (\n\t./peers\n\t%s\n\t%s\n)\n", root, filepath.Join(root, "runtime/host/libp2p")),
		"peers/go.mod": "module " + here + "/peers\n\ngo 1.26.0\n",
	}
	for name, text := range files {
		if err := w.write(name, text); err != nil {
			return nil, err
		}
	}
	return w, os.Setenv("GOWORK", filepath.Join(dir, "go.work"))
}

func (w *workshop) write(name, text string) error {
	name = filepath.Join(w.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o666)
}

// peers generates and builds a program of a package below here. It returns the binaries by class.
func (w *workshop) peers(pkg, host string, classes ...string) (map[string]string, error) {
	at := path.Join("peers", host, pkg)
	if w.given {
		return w.build(at, "", classes...)
	}
	log.Printf("generating and building %s for %s", pkg, host)
	in, err := record.Read(context.Background(), "./internal/bench/distributed/"+pkg)
	if err != nil {
		return nil, err
	}
	home := project.Home{Dir: filepath.Join(w.dir, filepath.FromSlash(at)), Import: path.Join(here, at)}
	r, err := bbgen.Compile(in.Module, bbgen.Config{Source: in.Source, Import: home.Import, Hosts: []string{host}, Cut: &bbgen.Cut{Dir: in.Dir}})
	if err != nil {
		return nil, err
	}
	if err := project.Write(home, r.Files); err != nil {
		return nil, err
	}
	return w.build(at, "", classes...)
}

// build builds the programs of classes below a folder, with an optional build tag.
func (w *workshop) build(at, tag string, classes ...string) (map[string]string, error) {
	bin := filepath.Join(w.bin, tag, filepath.FromSlash(at))
	if !w.given {
		flags := os.Getenv("GOFLAGS")
		defer os.Setenv("GOFLAGS", flags)
		os.Setenv("GOFLAGS", strings.TrimSpace(flags+" -tags="+tag))
		return gobuild.Peers(bin, path.Join(here, at), classes...)
	}
	out := map[string]string{}
	for _, c := range classes {
		out[c] = filepath.Join(bin, c)
	}
	return out, nil
}

//go:embed _raw/main.go
var raw string

// raw builds the program that sends bytes on a host's stream without a protocol.
func (w *workshop) raw(host string) (string, error) {
	at := path.Join("peers", host)
	if !w.given {
		if err := w.write(path.Join(at, "raw/main.go"), strings.ReplaceAll(raw, "host/tcp", "host/"+host)); err != nil {
			return "", err
		}
	}
	bin, err := w.build(at, "", "raw")
	return bin["raw"], err
}

// tests builds the benchmarks of the engine.
func (w *workshop) tests() (string, error) {
	bin := filepath.Join(w.bin, "runtime.test")
	if w.given {
		return bin, nil
	}
	cmd := exec.Command("go", "test", "-trimpath", "-c", "-o", bin, "./runtime/internal/enginetest")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go test -c ./runtime/internal/enginetest: %w\n%s", err, out)
	}
	return bin, nil
}
