package project

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// GoBuild builds a package in dir, a module of its own, into a static, stripped binary. GOOS and GOARCH in
// the environment select the platform.
func GoBuild(dir, pkg, bin string) error {
	return goBuild(dir, pkg, bin, "-s -w", "GOWORK=off", "GOFLAGS=-mod=vendor")
}

// BuildFor builds the package in dir, of any module, into a static, stripped binary. The same sources, Go
// version and environment give the same bytes.
func BuildFor(dir, bin string, environment []string) error {
	env := slices.Clone(environment)
	if generated(dir) {
		env = append(env, "GOWORK=off") // the module is in no workspace
	}
	return goBuild(dir, ".", bin, "-s -w -buildid=", env...)
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

func goBuild(dir, pkg, bin, ldflags string, environment ...string) error {
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags="+ldflags, "-o", bin, pkg)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "CGO_ENABLED=0"), environment...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return &BuildError{Output: out.String(), Err: err}
	}
	return nil
}

// BuildError is a go build that failed.
type BuildError struct {
	Output string
	Err    error
}

// Error returns the compiler's output.
func (e *BuildError) Error() string {
	return fmt.Sprintf("go build: %v\n%s", e.Err, strings.TrimSpace(e.Output))
}
