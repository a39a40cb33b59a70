package project

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/bbgen/bbgen/internal/gobuild"
	"github.com/bbgen/bbgen/runtime/host/disk"
)

// GoBuild builds a package in dir, a module of its own, into a static, stripped binary. GOOS and GOARCH in
// the environment select the platform. A binary that was there before is replaced when the new one is complete.
func GoBuild(dir, bin string) error {
	bin, err := filepath.Abs(bin) // the go command runs in dir
	if err != nil {
		return err
	}
	b := gobuild.Build{Dir: dir, Out: bin, Env: []string{"GOWORK=off", "GOFLAGS=-mod=vendor"}}
	bin, ok := disk.Replaceable(bin)
	if !ok {
		return b.Run()
	}
	removeAbandoned(filepath.Dir(bin), tempPattern)
	tmp, remove, err := TempDir(filepath.Dir(bin), tempPattern)
	if err != nil {
		return err
	}
	defer remove()
	b.Out = filepath.Join(tmp, filepath.Base(bin))
	if err := b.Run(); err != nil {
		return err
	}
	return os.Rename(b.Out, bin)
}

// BuildFor builds the package in dir, of any module, into a static, stripped binary. The same sources, Go
// version and environment give the same bytes.
func BuildFor(dir, bin string, environment []string) error {
	b := gobuild.Build{Dir: dir, Out: bin, NoID: true, Env: environment}
	if generated(dir) { // the module is in no workspace and has its vendor folder, whatever the author's others do
		b.Env = append(slices.Clone(environment), "GOWORK=off", "GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=vendor") // the last -mod counts
	}
	return b.Run()
}

// generated reports whether bbgen has written the module that contains dir.
func generated(dir string) bool {
	for {
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		up := filepath.Dir(dir)
		if err == nil || up == dir {
			return isOurs(mod)
		}
		dir = up
	}
}
