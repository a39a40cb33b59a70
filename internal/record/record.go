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

// Artifact is a program as it was recorded.
type Artifact struct {
	Package string // import path of the author's package
	Dir     string // where it lies
	Model   []byte // an ONNX ModelProto
}

// IsPackage reports whether a command line's argument names a Go package rather
// than a file: a folder.
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

// mainDir is the folder that the main seems to lie in: below the author's
// package, so that it may import it even if that is internal.
const mainDir = "bbgen_record_main"

// build makes a program that records the package. The main is in no folder of the
// author's: it is laid over them. It runs once, and has no tables for debuggers, which take
// longer to write than all else.
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
	whole := "-gcflags=" + s.path + "/...=-trimpath=" // mistakes are told with the author's files, even if GOFLAGS has -trimpath
	cmd := exec.CommandContext(ctx, "go", "build", "-ldflags=-s -w", whole, "-overlay", list, "-o", program, s.path+"/"+mainDir)
	cmd.Dir = s.dir
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build of what records %s: %w\n%s", s.path, err, bytes.TrimSpace(text))
	}
	return nil
}

// run runs the program where bbgen runs, so that the author's files have the
// names that they have from there.
func (s *source) run(ctx context.Context, program, out string) error {
	cmd := exec.CommandContext(ctx, program, out)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		said := strings.TrimSpace(stderr.String())
		if c := s.crash(said); c != nil {
			return c
		}
		if said != "" {
			return errors.New(said)
		}
		return fmt.Errorf("the package ended the program that records it (%w): Program must return", exit)
	case err != nil:
		return fmt.Errorf("what records the program: %w", err)
	}
	return nil
}
