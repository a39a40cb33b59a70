package project

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// GoBuild builds a package in dir into a static, stripped binary; GOOS and
// GOARCH of the environment say for which machine.
func GoBuild(dir, pkg, bin string) error {
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", bin, pkg)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=-mod=vendor")
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

// Error is the compiler's output.
func (e *BuildError) Error() string {
	return fmt.Sprintf("go build: %v\n%s", e.Err, strings.TrimSpace(e.Output))
}
