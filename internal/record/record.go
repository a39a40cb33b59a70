package record

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Artifact is a recorded program.
type Artifact struct {
	Package string // import path of the author's package
	Dir     string // its folder
	Model   []byte // an ONNX ModelProto
}

// IsPackage reports whether an argument names a Go package, which is a folder, and not a file.
func IsPackage(arg string) bool {
	st, err := os.Stat(arg)
	return err == nil && st.IsDir()
}

// Package records the program in the Go package of a folder.
func Package(ctx context.Context, dir string) (*Artifact, error) {
	src, err := load(ctx, dir)
	if err != nil {
		return nil, err
	}
	tmp, err := os.MkdirTemp("", "bbgen-record-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	program := filepath.Join(tmp, "record.exe")
	if err := src.build(ctx, tmp, program); err != nil {
		return nil, err
	}
	out := filepath.Join(tmp, "artifact.pb")
	if err := src.run(ctx, program, out); err != nil {
		return nil, err
	}
	model, err := os.ReadFile(out)
	return &Artifact{Package: src.path, Dir: src.dir, Model: model}, err
}

// mainDir is the virtual folder of the main: below the author's package, so that it may import it even if
// that is internal.
const mainDir = "bbgen_record_main"

// build makes a program that records the package. The main is not written to the author's folder, but laid
// over it. As it runs only once, it has no debug information, which would take longer to write than
// everything else. The flags are the author's, so that packages which the author builds, too, are compiled once.
func (s *source) build(ctx context.Context, tmp, program string) error {
	file := filepath.Join(tmp, "main.go")
	if err := os.WriteFile(file, s.main(), 0o600); err != nil {
		return err
	}
	overlay, err := json.Marshal(map[string]map[string]string{
		"Replace": {filepath.Join(s.dir, mainDir, "main.go"): file},
	})
	if err != nil {
		return err
	}
	list := filepath.Join(tmp, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-ldflags=-s -w", "-overlay", list, "-o", program, s.path+"/"+mainDir)
	cmd.Dir = s.dir
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build of what records %s: %w\n%s", s.path, err, bytes.TrimSpace(text))
	}
	return nil
}

// hint says why slots may be empty, if the package has no function Program.
func (s *source) hint() string {
	if s.program {
		return ""
	}
	return "\n(" + s.path + " has no func Program() dsl.Program, so each of its modules is recorded as its zero value)"
}

// unbound is a part of the error of package dsl for a slot without a component.
const unbound = " has no component: set its Bind"

// refusal returns the error of a program that cannot be recorded.
func (s *source) refusal(said string) error {
	err := errors.New(said + s.hint())
	if !s.program && strings.Contains(said, unbound) {
		return &library{err}
	}
	return err
}

// library is an error that wraps [ErrLibrary], which its text does not show.
type library struct{ error }

func (*library) Is(target error) bool { return target == ErrLibrary }

// run runs the program in the working directory of bbgen, so that the author's relative file names are valid.
func (s *source) run(ctx context.Context, program, out string) error {
	cmd := exec.CommandContext(ctx, program, out)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		said := s.local(strings.TrimSpace(stderr.String()))
		if c := s.crash(said); c != nil {
			return c
		}
		if said != "" {
			return s.refusal(said)
		}
		return fmt.Errorf("the package ended the program that records it (%w): Program must return", exit)
	case err != nil:
		return fmt.Errorf("what records the program: %w", err)
	}
	return nil
}
